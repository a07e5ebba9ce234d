import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

/// A microphone of several channels where two are asked for.
@Suite("Stereo") struct StereoTests {
  private static let rate = 48_000
  private static let speech = CaptureSignals.speech(seconds: 4, rate: rate, level: -26)
  private static let left = sum(speech, noise(-70, seed: 1)), right = sum(delayed(speech, 7), noise(-70, seed: 2), gain: 0.6)

  private static func noise(_ level: Float, seed: UInt64, seconds: Double = 4) -> [Float] {
    CaptureSignals.noise(seconds: seconds, rate: rate, level: level, seed: seed)
  }

  private static func sum(_ a: [Float], _ b: [Float], gain: Float = 1) -> [Float] { zip(a, b).map { gain * $0 + $1 } }

  private static func delayed(_ samples: [Float], _ frames: Int) -> [Float] {
    [Float](repeating: 0, count: frames) + samples.dropLast(frames)
  }

  private static func tone(_ frequency: Double, level: Double, seconds: Double = 4) -> [Float] {
    sine(frequency, frames: Int(seconds * Double(rate)), rate: rate, level: level)
  }

  /// A core whose source takes two channels.
  private static func rig(usesVoiceProcessing: Bool = false, mode: MicMode = .wideSpectrum, channelCount: Int = 2) throws -> CoreRig {
    let rig = try CoreRig()
    rig.core.source.channelCount = channelCount
    rig.core.controls.usesVoiceProcessing = usesVoiceProcessing
    rig.core.controls.micMode = mode
    try rig.core.prepare()
    return rig
  }

  private static func level(_ samples: some Collection<Float>) -> Double {
    CaptureSignals.decibels(CaptureSignals.power(samples))
  }

  /// The largest difference of two signals, over a part.
  private static func difference(_ a: some Collection<Float>, _ b: some Collection<Float>) -> Float {
    zip(a, b).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }

  // MARK: Voice processing off

  @Test("V16, L6: without voice processing the first two channels are heard as they are, left and right, and so a callback gets them")
  func raw() throws {
    let rig = try Self.rig()
    let recorder = CallbackRecorder()
    rig.core.source.attach(CallbackRecorder.callback, context: recorder.context)
    let voice = rig.runBoth([Self.left, Self.right, Self.noise(-30, seed: 3)])
    let all = 480..<voice.left.count
    let isSame = voice.left[all] == Self.left[all] && voice.right[all] == Self.right[all]
    #expect(isSame)
    let interleaved = zip(voice.left, voice.right).flatMap { [$0, $1] }
    let isDelivered = recorder.calls.flatMap(\.samples) == interleaved
    #expect(isDelivered && recorder.calls.allSatisfy { $0.channelCount == 2 })
    rig.core.source.detach()
  }

  @Test("V16: the two are those that work, as far as two do; their numbers choose two; the mean, and a single one, are on both sides")
  func choice() throws {
    let rig = try Self.rig()
    let channels = [Self.noise(-120, seed: 3), Self.left, Self.right, Self.noise(-120, seed: 4)]
    func heard(_ text: String) throws -> (left: [Float], right: [Float]) {
      rig.core.inputs.channels = try #require(MicrophoneChannels(text))
      return rig.runBoth(channels)
    }
    let end = 96_000..<191_000
    for word in ["auto", "each", "2,3"] {
      let voice = try heard(word)
      let isSame = voice.left[end] == Self.left[end] && voice.right[end] == Self.right[end]
      #expect(isSame, "\(word)")
    }
    for word in ["mean", "3"] {
      let voice = try heard(word)
      let isSame = voice.left[end] == voice.right[end]
      #expect(isSame && Self.level(voice.left[end]) > -50, "\(word)")
    }
    rig.core.inputs.channels = .auto
    let one = rig.runBoth([Self.noise(-120, seed: 3), Self.right])
    let isSame = one.left[end] == one.right[end]
    #expect(isSame && Self.difference(one.left[end], Self.right[end]) < 1e-6)
  }

  @Test("V16: each asks for two channels by itself; who takes one gets the mean of both")
  func mean() throws {
    let rig = try Self.rig(channelCount: 1)
    let recorder = CallbackRecorder()
    rig.core.source.attach(CallbackRecorder.callback, context: recorder.context)
    rig.core.inputs.channels = .each
    try rig.renewCapturePath()
    let voice = rig.runBoth([Self.left, Self.right])
    let isApart = voice.left[4_800...] == Self.left[4_800..<voice.left.count]
    #expect(isApart && voice.left != voice.right)
    let isMean = recorder.calls.flatMap(\.samples) == zip(voice.left, voice.right).map { 0.5 * ($0 + $1) }
    #expect(isMean && recorder.calls.allSatisfy { $0.channelCount == 1 })
    rig.core.source.detach()
  }

  @Test("V16, D4: application audio is heard on both sides, at the level that it has in mono, and both together stay within full scale")
  func application() throws {
    let rig = try Self.rig()
    // One is far softer than the other, and would be left out.
    rig.core.inputs.channels = .only([1, 2])
    let (left, right) = (Self.tone(300, level: 0.05, seconds: 1), Self.tone(400, level: 0.7, seconds: 1))
    let app = Self.tone(350, level: 0.4, seconds: 1)
    #expect(rig.core.capture(appAudio: try AppAudioBuffer(interleaved: app, sampleRate: 48_000, channelCount: 1)))
    let voice = rig.runBoth([left, right])
    let end = 9_600..<38_400
    #expect(voice.left[end].allSatisfy { abs($0) <= 1 } && voice.right[end].allSatisfy { abs($0) <= 1 })
    // One gain for both, 0.7 and 0.4 being too loud, and the same application audio: their difference is the microphone's, softer.
    let apart = Self.level(end.map { voice.right[$0] - voice.left[$0] }) - Self.level(end.map { right[$0] - left[$0] })
    #expect(Self.level(voice.left[end]) > -14 && (voice.right[end].max() ?? 0) > 0.9)
    #expect((-4 ... -0.1).contains(apart), "\(apart) dB")
  }

  // MARK: Voice processing

  @Test("V16: in wide spectrum each side's echo is cancelled by a canceller of its own, and each side's voice is kept, equally late")
  func cancels() throws {
    let rig = try Self.rig(usesVoiceProcessing: true)
    let far = CaptureSignals.speech(seconds: 8, rate: Self.rate, level: -20, seed: 5)
    let echoes = [
      CaptureSignals.room(far, rate: Self.rate, delay: 900, gain: 0.4), CaptureSignals.room(far, rate: Self.rate, delay: 1_300, gain: 0.2),
    ]
    let microphones = echoes.enumerated().map { Self.sum($1, Self.noise(-70, seed: UInt64($0), seconds: 8)) }
    let voice = rig.runBoth(microphones, reference: far)
    let end = 5 * Self.rate..<voice.left.count
    let reductions = [
      Self.level(microphones[0][end]) - Self.level(voice.left[end]), Self.level(microphones[1][end]) - Self.level(voice.right[end]),
    ]
    print("V16: echo lower by \(reductions.map { Int($0) }) dB, left and right")
    #expect(reductions.allSatisfy { $0 > 25 }, "\(reductions)")

    let near = rig.runBoth([Self.left, Self.right])
    let latency = rig.core.captureLatency(quantum: 256)
    let part = 48_000..<180_000
    let gains = [(near.left, Self.left), (near.right, Self.right)].map { Self.level($0[part]) - Self.level($1[part]) }
    #expect(gains.allSatisfy { abs($0) < 1 }, "\(gains) dB")
    let lags = [(near.left, Self.left), (near.right, Self.right)].map { voice, own in
      CaptureSignals.lag(of: voice, behind: own, in: 0...2 * latency, at: 60_000, count: 40_000)
    }
    // The high-pass filter lets the loudest parts pass somewhat earlier.
    #expect(lags[0] == lags[1] && abs(lags[0] - latency) < 10, "\(lags) for \(latency)")
  }

  @Test("V16: in the mode standard the voice is the mono one of a core that was never asked for two, bit by bit, on both sides")
  func mono() throws {
    let stereo = try Self.rig(usesVoiceProcessing: true, mode: .standard)
    let plain = try Self.rig(usesVoiceProcessing: true, mode: .standard, channelCount: 1)
    let far = CaptureSignals.speech(seconds: 4, rate: Self.rate, level: -20, seed: 5)
    let microphones = [Self.left, Self.right].map { Self.sum($0, CaptureSignals.room(far, rate: Self.rate, delay: 900, gain: 0.3)) }
    let (both, alone) = (stereo.runBoth(microphones, reference: far), plain.runBoth(microphones, reference: far))
    let isSame = both.left == both.right && both.left == alone.left && alone.left == alone.right
    #expect(isSame && Self.level(both.left) > -60)
    // So is one of a single channel.
    let isSameAlone = [stereo, plain].map { rig in
      rig.cycle(Array(Self.left.prefix(256)))
      return rig.voice == rig.voiceRight
    }
    #expect(isSameAlone == [true, true])
  }

  @Test("V16, L7: modes, voice processing, bypass, engine and the microphone change while tones are heard, and neither side clicks")
  func switches() throws {
    let rig = try Self.rig(usesVoiceProcessing: true)
    let controls = rig.core.controls
    controls.isGainControlEnabled = false
    controls.isBypassed = true
    let (a, b) = (Self.tone(200, level: 0.3, seconds: 8), Self.tone(270, level: 0.2, seconds: 8))
    let voice = rig.runBoth([a, b]) { start in
      guard start % 9_728 == 0 else { return }
      switch start / 9_728 % 8 {
      case 1: controls.micMode = .standard
      case 2: controls.micMode = .wideSpectrum
      case 3: controls.engine = controls.engine == .nearend ? .webrtc : .nearend
      case 4: controls.usesVoiceProcessing = false
      case 5: controls.usesVoiceProcessing = true
      case 6: rig.core.inputs.channels = .only([2])
      case 7: rig.core.inputs.channels = .auto
      default: break
      }
      try? rig.renewCapturePath()
    }
    for (side, name) in [(voice.left, "left"), (voice.right, "right")] {
      let high = CaptureSignals.high(of: side, rate: Self.rate)
      for start in stride(from: 9_728, to: high.count - 9_728, by: 9_728) {
        // Voice processing is switched over a short gap (V1).
        let change = start / 9_728 % 8, isGap = change == 4 || change == 5
        let loudest = high[start..<start + 9_728].reduce(0) { max($0, abs($1)) }
        #expect(loudest < (isGap ? 0.005 : 3e-4), "change \(change), \(name)")
      }
    }
    // 0.1 s before each change the tones are where they belong.
    for start in stride(from: 9_728, to: voice.left.count - 9_728, by: 9_728) {
      #expect(voice.right[start + 4_800..<start + 9_600].contains { abs($0) > 0.05 }, "nothing is heard on the right from \(start) on")
    }
  }

  @Test("V16: from mono to stereo and back the right side is never silent, and it is its own within 0.1 s")
  func arrives() throws {
    let rig = try Self.rig(usesVoiceProcessing: true, mode: .standard)
    rig.core.controls.isBypassed = true
    let (a, b) = (Self.tone(200, level: 0.3), Self.tone(270, level: 0.2))
    let voice = rig.runBoth([a, b]) { start in
      if start == 48_128 { rig.core.controls.micMode = .wideSpectrum }
      if start == 96_256 { rig.core.controls.micMode = .standard }
    }
    for start in stride(from: 9_600, to: voice.right.count - 480, by: 480) {
      #expect(Self.level(voice.right[start..<start + 480]) > -25, "silent at \(start)")
    }
    func amplitude(_ frequency: Float, _ samples: ArraySlice<Float>) -> Float {
      var (re, im): (Float, Float) = (0, 0)
      for i in samples.indices {
        let angle = 2 * Float.pi * frequency * Float(i % Self.rate) / Float(Self.rate)
        re += samples[i] * cosf(angle)
        im += samples[i] * sinf(angle)
      }
      return 2 * (re * re + im * im).squareRoot() / Float(samples.count)
    }
    let apart = 52_800..<96_000, after = 105_600..<182_400
    #expect(abs(amplitude(200, voice.left[apart]) - 0.3) < 0.01 && amplitude(270, voice.left[apart]) < 0.01)
    #expect(amplitude(200, voice.right[apart]) < 0.01 && abs(amplitude(270, voice.right[apart]) - 0.2) < 0.01)
    let isSame = voice.left[after] == voice.right[after]
    #expect(isSame)
  }

  @Test("V16, V8: lost cycles and another quantum leave both sides equally late")
  func lost() throws {
    let rig = try Self.rig(usesVoiceProcessing: true)
    rig.core.controls.isBypassed = true
    rig.core.controls.isGainControlEnabled = false
    let same = Self.noise(-20, seed: 4)
    let other = same.map { 0.5 * $0 }
    let voice = rig.runBoth([same, other]) { start in
      if start % 25_600 == 0, start > 0 { rig.lose(frames: [256, 512, 5_120][start / 25_600 % 3]) }
    }
    #expect(Self.difference(voice.left[24_000...].map { 0.5 * $0 }, voice.right[24_000...]) < 1e-6)
    for quantum in [480, 64, 1_024] {
      var sides: [(left: [Float], right: [Float])] = []
      for start in stride(from: 0, to: 48_000 / quantum * quantum, by: quantum) {
        rig.cycle([], channels: [Array(same[start..<start + quantum]), Array(other[start..<start + quantum])])
        sides.append((rig.voice, rig.voiceRight))
      }
      let (left, right) = (sides.flatMap(\.left), sides.flatMap(\.right))
      #expect(Self.difference(left.map { 0.5 * $0 }, right) < 1e-6 && Self.level(right[24_000...]) > -30, "\(quantum)")
    }
  }

  @Test("V16, V3: gain control leaves a voice of two channels alone, and says so by its state")
  func gain() throws {
    let rig = try Self.rig(usesVoiceProcessing: true)
    let quiet = [Self.left, Self.right].map { $0.map { 0.05 * $0 } }
    let voice = rig.runBoth(quiet)
    let gains = zip([voice.left, voice.right], quiet).map { Self.level($0[96_000...]) - Self.level($1[96_000...]) }
    #expect(gains.allSatisfy { abs($0) < 1 }, "\(gains) dB")
    #expect(rig.core.controls.isStereo && rig.core.meters.snapshot().gain == 0)
  }

  @Test("V16, D1: a mute silences both sides, before processing or after, and opens both again")
  func mute() throws {
    for mutesInput in [false, true] {
      let rig = try Self.rig(usesVoiceProcessing: true)
      rig.core.controls.mutesInput = mutesInput
      let voice = rig.runBoth([Self.left, Self.right]) { start in
        rig.core.controls.isMicrophoneMuted = (76_800..<115_200).contains(start)
      }
      for side in [voice.left, voice.right] {
        let isSilent = side[80_000..<115_200].allSatisfy { $0 == 0 }
        #expect(isSilent && Self.level(side[40_000..<76_800]) > -50 && Self.level(side[120_000...]) > -50)
      }
    }
  }

  @Test("V16: a person who chooses each in mid-call is heard in stereo without a click, and back in mono as well")
  func live() throws {
    let rig = try Self.rig(channelCount: 1)
    let (a, b) = (Self.tone(200, level: 0.3), Self.tone(270, level: 0.2))
    let voice = rig.runBoth([a, b]) { start in
      if start == 48_128 { rig.core.inputs.channels = .each }
      if start == 96_256 { rig.core.inputs.channels = .auto }
      try? rig.renewCapturePath()
    }
    #expect([voice.left, voice.right].allSatisfy { CaptureSignals.click($0) < 3e-4 })
    let isApart = voice.right[57_600..<96_000] == b[57_600..<96_000], isSame = voice.left[105_600...] == voice.right[105_600...]
    #expect(isApart && isSame)
  }

  @Test("V16: a stage, and a plug-in, get both sides while there are two, and one otherwise")
  func stages() throws {
    let rig = try Self.rig()
    rig.core.captureStages.append(
      AudioStage { _, left, right, frames, _ in
        for i in 0..<frames {
          left[i] *= 0.5
          if let right { right[i] *= 0.25 }
        }
      })
    let voice = rig.runBoth([Self.left, Self.right])
    let end = 4_800..<voice.left.count
    let isSame =
      voice.left[end].elementsEqual(Self.left[end].map { 0.5 * $0 }) && voice.right[end].elementsEqual(Self.right[end].map { 0.25 * $0 })
    #expect(isSame)
    let mono = Array(Self.left.prefix(256))
    for _ in 0..<8 { rig.cycle(mono) }
    #expect(rig.voice == mono.map { 0.5 * $0 } && rig.voiceRight == rig.voice)
  }
}
