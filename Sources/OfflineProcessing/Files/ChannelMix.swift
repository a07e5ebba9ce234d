import Foundation
import Platform

/// Separates a file's channels, or mixes them to one, and watches how much of the sound the mixing loses.
struct ChannelMix {
  private let channels: Int
  /// Sums of squares, of each channel and of the mix of all.
  private var energies: [Double]
  private var mixed = 0.0
  private var frames = 0

  /// Mixing eight microphones that hear different noise loses 9 dB.
  private static let notable = 10.0
  /// The mean square below which a channel holds no sound worth a remark: −80 dBFS.
  private static let silence = 1e-8

  init(channels: Int) {
    self.channels = channels
    energies = Array(repeating: 0, count: channels)
  }

  /// Returns each channel if there are `sides`, otherwise their mean.
  mutating func mixed(_ interleaved: [Float], frames: Int, sides: Int) -> [[Float]] {
    let channels = channels
    if channels == 1 { return [Array(interleaved.prefix(frames))] }
    if sides == channels { return (0..<sides).map { side in (0..<frames).map { interleaved[channels * $0 + side] } } }
    let scale = 1 / Float(channels)
    self.frames += frames
    return [
      (0..<frames).map { frame in
        var sum: Float = 0
        for channel in 0..<channels {
          let sample = interleaved[frame * channels + channel]
          sum += sample
          energies[channel] += Double(sample) * Double(sample)
        }
        let mean = sum * scale
        mixed += Double(mean) * Double(mean)
        return mean
      }
    ]
  }

  /// What mixing has lost, for people; nil if that is not much.
  var loss: String? {
    guard let loudest = energies.indices.max(by: { energies[$0] < energies[$1] }), frames > 0,
      energies[loudest] > Self.silence * Double(frames)
    else { return nil }
    let loss = 10 * log10(energies[loudest] / max(mixed, 1e-12 * energies[loudest]))
    guard loss > Self.notable else { return nil }
    let others = energies.reduce(0, +) - energies[loudest]
    let reason = others > 0.1 * energies[loudest] ? "they cancel each other" : "the others are nearly silent"
    let amount = loss > 100 ? "more than 100" : fixed(loss, 1)
    return "mixed to one, its \(channels) channels are \(amount) dB lower than channel \(loudest + 1) alone, because \(reason)"
  }
}
