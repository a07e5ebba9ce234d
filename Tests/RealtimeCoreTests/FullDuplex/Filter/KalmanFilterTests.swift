import Testing

@testable import RealtimeCore

@Suite("Full duplex: Kalman filter")
struct KalmanFilterTests {
  private static let layout = FilterLayout(rate: 16_000)

  @Test(
    "V10: a filter whose response begins late tells by how many partitions, and moved by them it still knows the echo",
    arguments: [(2, 0), (8, 7), (12, 11)])
  func idlePartitions(echo partition: Int, idle: Int) {
    let layout = Self.layout, size = layout.partitionHops * layout.hop
    let transform = FourierTransform(length: layout.transform)
    var reference = ReferenceSpectra(layout: layout, transform: transform)
    var filter = KalmanFilter(layout: layout, role: .careful, transform: transform)
    let far = Noise.white(frames: 3 * layout.rate, seed: 3)
    let delay = partition * size + size / 2
    // A late reflection, half as strong.
    let echo = far.indices.map { ($0 >= delay ? far[$0 - delay] : 0) + ($0 >= delay + 20 ? 0.5 * far[$0 - delay - 20] : 0) }
    var offset = 0, found: Int?, error: Float = 0, loudness: Float = 0
    for start in stride(from: layout.window, to: far.count - layout.hop, by: layout.hop) {
      reference.feed(far, from: start, hop: layout.hop)
      filter.step(reference, heard: echo, from: start, offset: offset, learns: found == nil)
      if found == nil, start > 2 * layout.rate {
        let idle = filter.idlePartitions()
        filter.move(by: idle)
        (found, offset) = (idle, idle * layout.partitionHops)
      } else if found != nil {
        error += meanSquare(filter.estimate.residual, frames: layout.hop)
        loudness += meanSquare(filter.estimate.echo, frames: layout.hop)
      }
    }
    #expect(found == idle)
    #expect(filter.idlePartitions() == 0)
    #expect(error < 0.01 * loudness, "\(error) of \(loudness)")
  }

  @Test("V10: a partial filter takes the tail of the echo, for which it has no weights, from the other filter")
  func partial() {
    let layout = Self.layout, transform = FourierTransform(length: layout.transform)
    var reference = ReferenceSpectra(layout: layout, transform: transform)
    var whole = KalmanFilter(layout: layout, role: .careful, transform: transform)
    var part = KalmanFilter(layout: layout, role: .fast, transform: transform)
    let far = Noise.white(frames: 4 * layout.rate, seed: 3)
    let tail = (layout.fastPartitions + 2) * layout.partitionHops * layout.hop
    let echo = far.indices.map { ($0 >= 40 ? 0.5 * far[$0 - 40] : 0) + ($0 >= tail ? 0.5 * far[$0 - tail] : 0) }
    var error: Float = 0, loudness: Float = 0
    for start in stride(from: layout.window, to: far.count - layout.hop, by: layout.hop) {
      reference.feed(far, from: start, hop: layout.hop)
      whole.step(reference, heard: echo, from: start)
      part.step(reference, heard: echo, from: start, beyond: whole)
      guard start > 3 * layout.rate else { continue }
      error += meanSquare(part.estimate.residual, frames: layout.hop)
      loudness += meanSquare(part.estimate.echo, frames: layout.hop)
    }
    #expect(error < 0.01 * loudness, "\(error) of \(loudness)")
  }

  @Test("V10: the estimate is too large within 60 ms after the echo has become softer, and seldom where somebody talks")
  func tooLarge() throws {
    let layout = Self.layout, transform = FourierTransform(length: layout.transform)
    var reference = ReferenceSpectra(layout: layout, transform: transform)
    var filter = KalmanFilter(layout: layout, role: .careful, transform: transform)
    let far = Noise.white(frames: 5 * layout.rate, seed: 3), near = Noise.white(frames: far.count, level: 0.1, seed: 9)
    let talks = 2 * layout.rate, softer = 4 * layout.rate
    let microphone = far.indices.map { i -> Float in
      let gain: Float = i < softer ? 0.5 : 0.15
      let echo: Float = i < 40 ? 0 : gain * far[i - 40]
      return i < talks ? echo : echo + near[i]
    }
    var wrongHops = 0, hops = 0, noticed: Int?
    for start in stride(from: layout.window, to: far.count - layout.hop, by: layout.hop) {
      reference.feed(far, from: start, hop: layout.hop)
      filter.step(reference, heard: microphone, from: start)
      if start >= softer {
        if filter.isEstimateTooLarge, noticed == nil { noticed = start }
      } else if start >= talks {
        hops += 1
        wrongHops += filter.isEstimateTooLarge ? 1 : 0
      }
    }
    #expect(Double(wrongHops) < 0.1 * Double(hops), "\(wrongHops) of \(hops)")
    let after = try #require(noticed) - softer
    #expect(Double(after) < 0.06 * Double(layout.rate), "\(after) frames")
  }
}
