import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: linear canceller", .serialized)
struct LinearCancellerTests {
  private static let rate = 16_000

  @Test("V10: the echo of a room is cancelled by 20 dB within 3 s")
  func room() {
    let far = Noise.white(frames: 4 * Self.rate, seed: 3)
    let run = cancel(far, far, echo: echo(of: far, through: Self.path(seed: 7)))
    #expect(run.erle(3, 4) > 20, "\(run.erle(3, 4))")
  }

  @Test("V10: who talks at the near end is let through, and costs the filter no more than 6 dB of what it has learnt")
  func doubleTalk() {
    let far = Noise.white(frames: 8 * Self.rate, seed: 3)
    var near = Noise.white(frames: far.count, seed: 11)
    for i in 0..<4 * Self.rate { near[i] = 0 }
    let run = cancel(far, far, echo: echo(of: far, through: Self.path(seed: 7)), near: near)
    #expect(run.erle(6, 8) > min(run.erle(3, 4), 26) - 6, "\(run.erle(3, 4)) before, \(run.erle(6, 8)) after")
  }

  @Test("V11: two talkers, left and right, are both cancelled, and so is one who comes after another on both sides")
  func stereo() {
    let both = Noise.white(frames: 8 * Self.rate, seed: 3), other = Noise.white(frames: 8 * Self.rate, seed: 5)
    let half = 3 * Self.rate
    let right = both[..<half] + other[half...]
    let left = echo(of: both, through: Self.path(seed: 7)), rightEcho = echo(of: Array(right), through: Self.path(seed: 8))
    let run = cancel(both, Array(right), echo: zip(left, rightEcho).map { $0 + $1 })
    #expect(run.erle(2, 3) > 20, "\(run.erle(2, 3))")
    #expect(run.erle(7, 8) > 15, "\(run.erle(7, 8))")
  }

  // MARK: -

  private struct Run {
    var echo, residual: [Float]
    var near: [Float]

    /// Of the echo alone, whatever the near end says, from a second to another.
    func erle(_ from: Double, _ to: Double) -> Double {
      let range = Int(from * Double(rate))..<min(Int(to * Double(rate)), residual.count)
      let before = range.reduce(0.0) { $0 + Double(echo[$1] * echo[$1]) }
      let after = range.reduce(0.0) { $0 + pow(Double(residual[$1] - near[$1]), 2) }
      return 10 * log10(before / max(after, 1e-12))
    }
  }

  private func cancel(_ left: [Float], _ right: [Float], echo: [Float], near: [Float]? = nil) -> Run {
    let near = near ?? [Float](repeating: 0, count: echo.count)
    // The microphone is as late as the far end is made.
    var canceller = LinearCanceller(layout: FilterLayout(rate: Self.rate))
    let late = [Float](repeating: 0, count: canceller.farEndDelay)
    let delayedEcho = late + echo, delayedNear = late + near
    let microphone = zip(delayedEcho, delayedNear).map { $0 + $1 }
    let hop = canceller.layout.hop, count = echo.count / hop * hop
    var residual: [Float] = []
    for start in stride(from: 0, to: count, by: hop) {
      microphone.withUnsafeBufferPointer { microphone in
        left.withUnsafeBufferPointer { left in
          right.withUnsafeBufferPointer { right in
            canceller.process(microphone.baseAddress! + start, left: left.baseAddress! + start, right: right.baseAddress! + start)
          }
        }
      }
      residual += UnsafeBufferPointer(start: canceller.residual, count: hop)
    }
    return Run(
      echo: Array(delayedEcho[..<count]), residual: residual, near: Array(delayedNear[..<count]))
  }

  /// A room of 0.1 s: noise that dies away, after 5 ms.
  private static func path(seed: UInt64) -> [Float] {
    let noise = Noise.white(frames: rate / 10, level: 0.3, seed: seed), delay = rate / 200
    return [Float](repeating: 0, count: delay) + noise.enumerated().map { $1 * exp(-Float($0) / Float(rate / 60)) }
  }

  private func echo(of far: [Float], through path: [Float]) -> [Float] {
    let taps = path.enumerated().filter { $0.element != 0 }
    var result = [Float](repeating: 0, count: far.count)
    result.withUnsafeMutableBufferPointer { result in
      far.withUnsafeBufferPointer { far in
        for (delay, tap) in taps {
          for n in delay..<far.count { result[n] += tap * far[n - delay] }
        }
      }
    }
    return result
  }
}
