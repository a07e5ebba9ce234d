import Testing

@testable import RealtimeCore

@Suite("Full duplex: prior of the path")
struct PathPriorTests {
  private let layout = FilterLayout(rate: 16_000)

  /// Returns what the careful filter expects to remain of an echo that comes from one partition, and what does remain, as shares of the
  /// echo, in the second half of `seconds` in which both ends talk from the first moment on.
  private func remaining(_ seconds: Double, level: Float, changesPrior: Bool) -> (expected: Float, actual: Float) {
    let transform = FourierTransform(length: layout.transform), size = layout.partitionHops * layout.hop
    var reference = ReferenceSpectra(layout: layout, transform: transform), prior = PathPrior(layout: layout)
    var careful = KalmanFilter(layout: layout, role: .careful, transform: transform)
    var fast = KalmanFilter(layout: layout, role: .fast, transform: transform)
    let count = Int(seconds * Double(layout.rate)), delay = 3 * size + size / 2
    let far = Noise.white(frames: count, level: 0.1, seed: 3), near = Noise.white(frames: count, level: 0.1 * level, seed: 11)
    let echo = far.indices.map { $0 >= delay ? level * far[$0 - delay] : 0 }
    let microphone = zip(echo, near).map { $0 + $1 }
    // Mono from the beginning on: what the reference takes for stereo before it has heard anything.
    careful.split()
    fast.split()
    prior.split()
    careful.join()
    fast.join()
    prior.join()
    var expected: Float = 0, actual: Float = 0, loudness: Float = 0
    for start in stride(from: layout.window, to: count - layout.hop, by: layout.hop) {
      reference.feed(far, from: start, hop: layout.hop)
      careful.step(reference, heard: microphone, from: start)
      fast.step(reference, heard: microphone, from: start, beyond: careful)
      if changesPrior, careful.isDue { prior.update(&fast, &careful, isStereo: false) }
      if start < count / 2 { continue }
      for k in 0..<layout.speechBins { expected += careful.uncertainty[k] }
      for i in 0..<layout.hop {
        let error = careful.estimate.residual[i] - near[start + i]
        actual += error * error
        loudness += echo[start + i] * echo[start + i]
      }
    }
    // Uncertainties are of windows, in bins of one half of the spectrum, unscaled.
    let scale = Float(layout.transform / 2) * Float(layout.window / layout.hop)
    return (expected / (scale * loudness), actual / loudness)
  }

  @Test("V10: where both talk from the first moment on, less echo is expected once it is known where it comes from, and less is left")
  func doubleTalk() {
    let without = remaining(1, level: 0.5, changesPrior: false), with = remaining(1, level: 0.5, changesPrior: true)
    #expect(with.expected < 0.7 * without.expected, "\(with.expected), without \(without.expected)")
    #expect(with.actual < 0.9 * without.actual, "\(with.actual), without \(without.actual)")
  }

  @Test("V10: an echo that is louder than any that was expected is learnt faster")
  func loud() {
    let without = remaining(1, level: 1.5, changesPrior: false), with = remaining(1, level: 1.5, changesPrior: true)
    #expect(with.actual < 0.9 * without.actual, "\(with.actual), without \(without.actual)")
  }
}
