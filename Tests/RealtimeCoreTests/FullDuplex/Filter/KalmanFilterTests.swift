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
    var filter = KalmanFilter(layout: layout, tuning: .careful, transform: transform)
    let far = Noise.white(frames: 3 * layout.rate, seed: 3), silence = [Float](repeating: 0, count: layout.hop)
    let delay = partition * size + size / 2
    // A late reflection, half as strong.
    let echo = far.indices.map { ($0 >= delay ? far[$0 - delay] : 0) + ($0 >= delay + 20 ? 0.5 * far[$0 - delay - 20] : 0) }
    var offset = 0, found: Int?, error: Float = 0, loudness: Float = 0
    for start in stride(from: layout.window, to: far.count - layout.hop, by: layout.hop) {
      far.withUnsafeBufferPointer { far in
        silence.withUnsafeBufferPointer {
          reference.feed(left: far.baseAddress! + start, right: far.baseAddress! + start, excess: $0.baseAddress!)
        }
      }
      echo.withUnsafeBufferPointer {
        filter.step(reference, offset: offset, microphone: $0.baseAddress! + start + layout.hop - layout.window, learns: found == nil)
      }
      if found == nil, start > 2 * layout.rate {
        let idle = filter.idlePartitions()
        filter.move(by: idle)
        (found, offset) = (idle, idle * layout.partitionHops)
      } else if found != nil {
        error += meanSquare(filter.residual, frames: layout.hop)
        loudness += meanSquare(filter.echo, frames: layout.hop)
      }
    }
    #expect(found == idle)
    #expect(filter.idlePartitions() == 0)
    #expect(error < 0.01 * loudness, "\(error) of \(loudness)")
  }
}
