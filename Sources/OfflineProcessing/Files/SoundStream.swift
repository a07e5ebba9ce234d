import RealtimeCore

/// A sound file, its channels or their mean, at another rate, in blocks of any length, followed by silence.
final class SoundStream {
  let input: SoundInput
  /// Frames at the stream's rate.
  let length: Int
  /// Its channels, or 1 for their mean.
  let sides: Int

  private let ratio: Double
  /// One per side; none if the rates agree.
  private let resamplers: [VoiceResampler]
  /// Frames that have been read but not taken, from `first` on.
  private var waiting: [[Float]]
  private var first = 0

  /// - Parameters:
  ///   - rate: the output rate in Hz.
  ///   - sides: the channels that are wanted apart; a file that has not as many is mixed to one.
  /// - Throws: `OfflineError.input`.
  init(_ input: SoundInput, rate: Int, sides: Int) throws(OfflineError) {
    self.input = input
    self.sides = sides == input.channelCount ? sides : 1
    ratio = Double(rate) / Double(input.rate)
    length = rate == input.rate ? input.length : Int((Double(input.length) * ratio).rounded(.up))
    var resamplers: [VoiceResampler] = []
    if rate != input.rate {
      for _ in 0..<self.sides {
        guard let resampler = VoiceResampler() else { throw .input(file: input.path, reason: "there is not enough memory to resample it") }
        resamplers.append(resampler)
      }
    }
    self.resamplers = resamplers
    waiting = Array(repeating: [], count: self.sides)
  }

  /// Writes the next `frames` of each side into `blocks`, one per side.
  /// - Throws: `OfflineError.input`.
  func read(into blocks: [UnsafeMutablePointer<Float>], frames: Int) throws(OfflineError) {
    while waiting[0].count - first < frames { try fill() }
    for (side, block) in blocks.enumerated() {
      let source = waiting[min(side, sides - 1)]
      for i in 0..<frames { block[i] = source[first + i] }
    }
    first += frames
    if first > 65_536 {
      for side in 0..<sides { waiting[side].removeFirst(first) }
      first = 0
    }
  }

  private func fill() throws(OfflineError) {
    var parts = try input.read(sides: sides)
    if parts.isEmpty { parts = Array(repeating: [Float](repeating: 0, count: 4_096), count: sides) }
    for side in 0..<sides {
      waiting[side] += resamplers.isEmpty ? parts[side] : resamplers[side].convert(parts[side], ratio: ratio)
    }
  }
}
