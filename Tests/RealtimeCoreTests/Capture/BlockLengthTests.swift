import Testing

@testable import RealtimeCore

/// Engines have different block lengths, so that stages must measure in time, not in blocks.
@Suite("Capture path: length of blocks")
struct BlockLengthTests {
  static let rate = 48_000

  @Test("V6: a voice begins and ends at the same moment whatever the blocks", arguments: [64, 128, 256, 512, 1024])
  func detector(block: Int) {
    let noise = CaptureSignals.noise(seconds: 8, rate: Self.rate, level: -60)
    let talk =
      CaptureSignals.noise(seconds: 1, rate: Self.rate, level: -75) + CaptureSignals.speech(seconds: 4, rate: Self.rate, level: -30)
      + [Float](repeating: 0, count: 3 * Self.rate)
    let sound = zip(noise, talk).map { $0 + $1 }
    #expect(Self.changes(sound, block: 480).count >= 2)
    let expected = Self.changes(sound, block: 480), found = Self.changes(sound, block: block)
    #expect(found.count == expected.count)
    for (found, expected) in zip(found, expected) { #expect(abs(found - expected) < max(block, 480) + 1) }
  }

  /// Frames at the end of the blocks in which `hasVoice` changes.
  private static func changes(_ sound: [Float], block: Int) -> [Int] {
    var detector = VoiceDetector(rate: rate)
    var changes: [Int] = [], had = false
    for start in stride(from: 0, to: sound.count - block + 1, by: block) {
      sound.withUnsafeBufferPointer { detector.update($0.baseAddress! + start, frames: block) }
      if detector.hasVoice != had { changes.append(start + block) }
      had = detector.hasVoice
    }
    return changes
  }

  @Test("V3: gain control takes the same time whatever the blocks", arguments: [64, 128, 256, 512, 1024])
  func gain(block: Int) {
    // A tone, because its power is the same in every block.
    for seconds in [0.4, 1.0, 2.0, 3.5] {
      #expect(abs(Self.gain(after: seconds, block: block) - Self.gain(after: seconds, block: 480)) < 0.35, "after \(seconds) s")
    }
    #expect(Self.gain(after: 3.5, block: block) > 5)
  }

  private static func gain(after seconds: Double, block: Int) -> Float {
    var control = GainControl(BlockTime(frames: block, rate: rate))
    var samples = [Float](repeating: 0, count: block)
    for _ in 0..<Int(seconds * Double(rate) / Double(block)) {
      for i in 0..<block { samples[i] = i % 2 == 0 ? 0.02 : -0.02 }
      samples.withUnsafeMutableBufferPointer {
        control.process($0.baseAddress!, frames: block, isNearEnd: true, isActive: true, isFarEnd: false, isOn: true)
      }
    }
    return control.gain
  }

  @Test("D2: talking while muted is detected after the same time whatever the blocks", arguments: [64, 128, 256, 512, 1024])
  func talk(block: Int) {
    #expect(abs(Self.noticed(block: block) - Self.noticed(block: 480)) < 0.03)
    #expect(Self.noticed(block: block) > 0.4)
  }

  private static func noticed(block: Int) -> Double {
    var watch = TalkWatch(BlockTime(frames: block, rate: rate))
    for count in 1...400 {
      watch.update(farEnd: 0)
      watch.update(isNearEnd: true, isEcho: false, microphone: 0.01, reduction: .nan, echoSeconds: 3, lacksEcho: false, isMuted: true)
      if watch.isTalking { return Double(count * block) / Double(rate) }
    }
    return .infinity
  }
}
