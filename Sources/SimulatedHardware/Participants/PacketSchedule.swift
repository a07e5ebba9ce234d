/// The arrival times of a remote participant's packets, with its own clock and a network in between. [any]
///
/// Packets keep their order, as after a reordering receiver: a delayed one delays those after it, which then arrive in a burst.
package struct PacketSchedule: Sendable {
  /// The network's effect on packets.
  package struct Network: Sendable, Equatable {
    /// Mean of the exponential delay, in seconds.
    package var jitter: Double
    /// The largest delay by jitter alone, in seconds.
    package var mostJitter: Double
    /// Share of packets that are stalled, 0…1.
    package var stalls: Double
    /// The duration of a stall, in seconds.
    package var stall: ClosedRange<Double>

    /// Creates a network; the default is a fair one, which stalls three packets in a thousand.
    package init(jitter: Double = 0.01, mostJitter: Double = 0.04, stalls: Double = 0.003, stall: ClosedRange<Double> = 0.06...0.12) {
      self.jitter = jitter
      self.mostJitter = mostJitter
      self.stalls = stalls
      self.stall = stall
    }
    /// A network as a call usually has: packets come up to 60 ms late, which a buffer of 100 ms hides.
    package static let good = Network(jitter: 0.004, mostJitter: 0.02, stalls: 0.001, stall: 0.02...0.04)
    /// A network in which every packet arrives when it is sent.
    package static let none = Network(jitter: 0, mostJitter: 0, stalls: 0, stall: 0...0)
  }

  /// Seconds of audio per packet, by the participant's clock.
  package static let packet = 0.02

  /// How much faster the participant's clock runs, in parts per million.
  package let drift: Double
  /// The network that delays the packets.
  package let network: Network
  private var generator: SeededGenerator
  private var index = 0
  private var last = 0.0

  /// Creates a schedule; the same seed yields the same delays.
  /// - Parameter drift: how much faster the participant's clock runs, in parts per million.
  package init(drift: Double, network: Network = .init(), seed: UInt64) {
    self.drift = drift
    self.network = network
    generator = SeededGenerator(seed: seed)
  }

  /// Returns the times at which the next packet was sent and arrives, in seconds of the local clock since the first was sent.
  package mutating func next() -> (sent: Double, arrival: Double) {
    let sent = Double(index) * Self.packet / (1 + drift * 1e-6)
    index += 1
    var delay = min(generator.exponential(mean: network.jitter), network.mostJitter)
    if generator.uniform() < network.stalls { delay += generator.uniform(network.stall) }
    last = max(last, sent + delay)
    return (sent, last)
  }
}
