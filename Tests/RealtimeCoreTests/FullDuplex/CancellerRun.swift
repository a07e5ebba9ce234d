@testable import RealtimeCore

extension LinearCanceller {
  /// Processes all whole hops of the far end, and returns the residual.
  ///
  /// - Parameters:
  ///   - microphone: at least as long as the far end, and later by `farEndDelay`.
  ///   - doubts: seconds at which `doubt()` is called.
  ///   - gains: seconds at which the echo's gain is told to change, and by what factor.
  mutating func run(
    _ microphone: [Float], left: [Float], right: [Float], doubts: [Double] = [], gains: [(time: Double, factor: Float)] = []
  ) -> [Float] {
    precondition(left.count == right.count && microphone.count >= left.count)
    let hop = layout.hop
    var all: [Float] = []
    for start in stride(from: 0, to: left.count / hop * hop, by: hop) {
      let now = start..<start + hop
      if doubts.contains(where: { now.contains(Int($0 * Double(layout.rate))) }) { doubt() }
      for gain in gains where now.contains(Int(gain.time * Double(layout.rate))) { scaleEcho(by: gain.factor) }
      microphone.withUnsafeBufferPointer { microphone in
        left.withUnsafeBufferPointer { left in
          right.withUnsafeBufferPointer { right in
            process(microphone.baseAddress! + start, left: left.baseAddress! + start, right: right.baseAddress! + start)
          }
        }
      }
      all += UnsafeBufferPointer(start: residual, count: hop)
    }
    return all
  }
}
