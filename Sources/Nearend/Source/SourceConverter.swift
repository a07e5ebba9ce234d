import RealtimeCore

/// Converts cycles of voice at the graph's rate to buffers of about 10 ms at a program's rate. One thread at a time. [control]
///
///     interleaved float, graph's rate ─▶ resample each channel ─▶ Int16 ─▶ pieces of 10 ms
final class SourceConverter {
  let sampleRate: Int
  let channelCount: Int
  /// One per channel.
  private let resamplers: [VoiceResampler]
  private let pieceFrames: Int
  /// Rate of the last cycle in Hz; 0 before the first.
  private(set) var inputRate = 0
  private var expected: UInt64 = 0
  /// Converted samples, interleaved, from `position` on; less than a piece once everything ready was taken.
  private var converted: [Int16] = []
  /// Samples of these that were taken.
  private var taken = 0
  private var position: UInt64 = 0
  /// If a loss follows the converted samples: the frames lost, at the output's rate.
  private var lost: UInt64 = 0

  /// Throws `SourceError.outOfMemory`.
  init(sampleRate: Int, channelCount: Int) throws(SourceError) {
    var resamplers: [VoiceResampler] = []
    for _ in 0..<channelCount {
      guard let resampler = VoiceResampler() else { throw .outOfMemory }
      resamplers.append(resampler)
    }
    self.resamplers = resamplers
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    pieceFrames = max(1, (sampleRate + 50) / 100)
  }

  /// Returns the next buffer, from as few cycles of `queue` as possible; nil if there are not enough yet.
  func next(from queue: SourceQueue) -> MicrophoneBuffer? {
    while true {
      if let piece = nextPiece() { return piece }
      var samples: [Float] = []
      guard let cycle = queue.read(into: &samples) else { return nil }
      if cycle.position != expected { loseFrames(cycle.position &- expected, rate: cycle.rate) }
      expected = cycle.position &+ UInt64(cycle.frames)
      if lost > 0 {
        // Audio before the loss ends with it.
        let rest = dequeuePiece(frames: ready)
        position &+= lost
        lost = 0
        convert(samples, rate: cycle.rate)
        if let rest { return rest }
      } else {
        convert(samples, rate: cycle.rate)
      }
    }
  }

  private func loseFrames(_ frames: UInt64, rate: Int) {
    lost = (frames &* UInt64(sampleRate) + UInt64(rate) / 2) / UInt64(rate)
    for resampler in resamplers { resampler.reset() }
  }

  private func convert(_ samples: [Float], rate: Int) {
    if rate != inputRate {
      inputRate = rate
      for resampler in resamplers { resampler.reset() }
    }
    let output = rate == sampleRate ? samples : resampled(samples, ratio: Double(sampleRate) / Double(rate))
    if taken > 0 {
      converted.removeFirst(taken)
      taken = 0
    }
    converted.reserveCapacity(converted.count + output.count)
    for sample in output { converted.append(Self.int16(sample)) }
  }

  private func resampled(_ samples: [Float], ratio: Double) -> [Float] {
    if channelCount == 1 { return resamplers[0].convert(samples, ratio: ratio) }
    let sides = resamplers.enumerated().map { channel, resampler in
      resampler.convert(stride(from: channel, to: samples.count, by: channelCount).map { samples[$0] }, ratio: ratio)
    }
    return sides[0].indices.flatMap { frame in sides.map { $0[frame] } }
  }

  /// Rounds to the nearest step and clamps to full scale; NaN is silence.
  static func int16(_ sample: Float) -> Int16 {
    let scaled = (sample * 32_768).rounded()
    return scaled.isNaN ? 0 : Int16(max(-32_768, min(32_767, scaled)))
  }

  /// Frames that were converted but not taken.
  private var ready: Int { (converted.count - taken) / channelCount }

  private func nextPiece() -> MicrophoneBuffer? { ready >= pieceFrames ? dequeuePiece(frames: pieceFrames) : nil }

  private func dequeuePiece(frames: Int) -> MicrophoneBuffer? {
    guard frames > 0 else { return nil }
    let samples = Array(converted[taken..<taken + frames * channelCount])
    taken += samples.count
    defer { position &+= UInt64(frames) }
    return MicrophoneBuffer(samples: samples, sampleRate: sampleRate, channels: channelCount, position: position)
  }
}
