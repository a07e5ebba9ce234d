import Foundation

@testable import RealtimeCore

extension LinearCanceller {
  /// Processes all whole hops of the far end, and returns the residual.
  ///
  /// - Parameters:
  ///   - microphone: at least as long as the far end, and later by `farEndDelay`.
  ///   - doubts: seconds at which `doubt()` is called.
  ///   - gains: seconds at which the echo's gain is told to change, and by what factor.
  ///   - watch: called after each hop with its seconds, and whether the canceller is guarded.
  mutating func run(
    _ microphone: [Float], left: [Float], right: [Float], doubts: [Double] = [], gains: [(time: Double, factor: Float)] = [],
    watch: (_ seconds: Double, _ isGuarded: Bool) -> Void = { _, _ in }
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
      watch(Double(start) / Double(layout.rate), isGuarded)
    }
    return all
  }
}

extension FullDuplexProcessor {
  /// Processes all whole hops of the shorter of a microphone and a far end, on both sides. Returns the voice, `delay` later; the rest of
  /// the microphone follows as it is.
  mutating func run(_ microphone: [Float], far: [Float]) -> [Float] {
    var voice = microphone
    for start in stride(from: 0, through: min(microphone.count, far.count) - hop, by: hop) {
      far.withUnsafeBufferPointer { far in
        voice.withUnsafeMutableBufferPointer { voice in
          process(
            voice.baseAddress! + start, left: far.baseAddress! + start, right: far.baseAddress! + start, cancelsEcho: true,
            suppressesNoise: true)
        }
      }
    }
    return voice
  }

  /// Runs, and returns by how many dB the voice of some of the microphone's frames is softer than they are.
  mutating func fall(of microphone: [Float], far: [Float], in frames: Range<Int>) -> Double {
    let voice = run(microphone, far: far)[frames.lowerBound + delay..<frames.upperBound + delay]
    return CaptureSignals.decibels(CaptureSignals.power(microphone[frames]) / CaptureSignals.power(voice))
  }
}

extension ReferenceSpectra {
  /// Feeds the hop of `far` that begins at `start`, on both sides, of a loudspeaker that does not saturate.
  mutating func feed(_ far: [Float], from start: Int, hop: Int) {
    let silence = [Float](repeating: 0, count: hop)
    far.withUnsafeBufferPointer { far in
      silence.withUnsafeBufferPointer {
        feed(left: far.baseAddress! + start, right: far.baseAddress! + start, excess: $0.baseAddress!)
      }
    }
  }

  /// Feeds all whole hops of two sides, of a loudspeaker that does not saturate.
  mutating func feed(left: [Float], right: [Float], hop: Int) {
    let silence = [Float](repeating: 0, count: hop)
    for start in stride(from: 0, through: left.count - hop, by: hop) {
      feed(left: Array(left[start..<start + hop]), right: Array(right[start..<start + hop]), excess: silence)
    }
  }
}

extension KalmanFilter {
  /// Processes the hop of `heard` that begins at `start`.
  mutating func step(_ reference: borrowing ReferenceSpectra, heard: [Float], from start: Int, offset: Int = 0, learns: Bool = true) {
    let window = layout.window, end = start + layout.hop
    predict(reference, offset: offset)
    heard.withUnsafeBufferPointer { adapt(to: $0.baseAddress! + end - window, learns: learns) }
  }

  /// The same for a partial filter, after the whole one.
  mutating func step(_ reference: borrowing ReferenceSpectra, heard: [Float], from start: Int, beyond whole: borrowing KalmanFilter) {
    let window = layout.window, end = start + layout.hop
    predict(reference, beyond: whole)
    heard.withUnsafeBufferPointer { adapt(to: $0.baseAddress! + end - window, learns: true) }
  }
}

/// Calls an observer with a hop of these energies by band, while the far end speaks; what is not given is as loud as the microphone.
func withHop<Result>(
  microphone: [Float], echo: [Float]? = nil, residual: [Float]? = nil, fastResidual: [Float]? = nil, noise: [Float]? = nil,
  _ observe: (PathHop) -> Result
) -> Result {
  let all = [microphone, echo ?? microphone, residual ?? microphone, fastResidual ?? residual ?? microphone, noise ?? microphone]
  return withPointers(all) {
    observe(PathHop(microphone: $0[0], echo: $0[1], residual: $0[2], fastResidual: $0[3], noise: $0[4], isFarEnd: true))
  }
}

/// Calls a function with a pointer to each of the arrays.
func withPointers<Result>(_ arrays: [[Float]], _ body: ([UnsafePointer<Float>]) -> Result) -> Result {
  // One after another in one buffer, 16 values beyond each of which are readable.
  let space = [Float](repeating: 0, count: 16)
  return arrays.flatMap { $0 + space }.withUnsafeBufferPointer { all in
    var start = all.baseAddress!
    return body(
      arrays.map { array in
        defer { start += array.count + space.count }
        return start
      })
  }
}

/// Signals of a clock that drifts.
enum DriftingSignal {
  /// Low-passes to a quarter of the rate, so that it can be resampled well.
  static func smooth(_ samples: [Float]) -> [Float] {
    samples.indices.map { i in
      var sum: Float = 0
      for tap in max(0, i - 6)...i { sum += samples[tap] * lowPass[i - tap] }
      return sum
    }
  }
  private static let lowPass: [Float] = [0.03, 0.12, 0.22, 0.26, 0.22, 0.12, 0.03]

  /// The samples at the times n (1 + drift).
  static func resampled(_ samples: [Float], by drift: Double) -> [Float] {
    samples.indices.map { n in
      let time = Double(n) * (1 + drift), whole = Int(time)
      guard whole >= 12, whole + 12 < samples.count else { return 0 }
      let phase = time - Double(whole)
      var sum: Float = 0
      for tap in -11...12 {
        let x = Double(tap) - phase
        let sinc = abs(x) < 1e-9 ? 1 : sin(.pi * x) / (.pi * x)
        sum += samples[whole + tap] * Float(sinc * (0.5 + 0.5 * cos(.pi * x / 12.5)))
      }
      return sum
    }
  }
}
