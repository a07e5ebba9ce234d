import Border
internal import CPipeWire

extension Filter {
  /// The latency at a port, as the graph reports it: the age of incoming audio, or the time until outgoing audio is heard. An offset set by
  /// a person can make it negative.
  package struct Latency: Sendable, Equatable {
    /// The part in multiples of the quantum, −64…64.
    package private(set) var quanta: Float
    /// The part in frames, −2²¹…2²¹: 10 s at 192 kHz.
    package private(set) var frames: Int32
    /// The part in nanoseconds, −10¹⁰…10¹⁰: 10 s.
    package private(set) var nanoseconds: Int64

    private static let mostFrames: Int32 = 1 << 21
    private static let mostNanoseconds: Int64 = 10_000_000_000
    /// The largest plausible latency, in seconds.
    private static let longest = 10.0

    /// Clamps each part to its range; NaN becomes 0.
    package init(quanta: Float = 0, frames: Int32 = 0, nanoseconds: Int64 = 0) {
      self.quanta = quanta.bounded(to: -64...64, else: 0)
      self.frames = min(max(frames, -Self.mostFrames), Self.mostFrames)
      self.nanoseconds = min(max(nanoseconds, -Self.mostNanoseconds), Self.mostNanoseconds)
    }

    /// Reads the longest latency of a Latency param; nil if `param` is not one.
    init?(_ param: Pod) {
      guard let properties = param.properties(of: UInt32(SPA_TYPE_OBJECT_ParamLatency)),
        properties[SPA_PARAM_LATENCY_direction.rawValue]?.id != nil
      else { return nil }
      self.init(
        quanta: properties[SPA_PARAM_LATENCY_maxQuantum.rawValue]?.float ?? 0,
        frames: properties[SPA_PARAM_LATENCY_maxRate.rawValue]?.int ?? 0,
        nanoseconds: properties[SPA_PARAM_LATENCY_maxNs.rawValue]?.long ?? 0)
    }

    /// Returns the latency plus `frames`.
    package func later(by frames: Int) -> Latency {
      Latency(
        quanta: quanta, frames: Int32(clamping: Int(self.frames) + min(max(frames, 0), Int(Self.mostFrames))), nanoseconds: nanoseconds)
    }

    /// Returns the total in frames, clamped to 10 s.
    package func total(quantum: Int, rate: Int) -> Int {
      let limit = Self.longest * Double(rate)
      let total = Double(quanta) * Double(quantum) + Double(frames) + Double(nanoseconds) * Double(rate) / 1e9
      return Int(bounded: total.bounded(to: -limit...limit, else: 0))
    }
  }
}
