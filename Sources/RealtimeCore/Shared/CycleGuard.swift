/// Tells the control side when the audio thread can no longer hold anything that it loaded earlier: the grace period of read-copy-update.
///
/// The audio thread brackets each cycle with `enter` and `leave`, and loads published pointers only in between. The control side publishes,
/// then takes a `ticket`: what was replaced may be freed as soon as `isOver(ticket)`. Works whether cycles run or not, and neither side
/// ever waits.
// Safe: `enter` then load, and publish then `ticket`, are sequentially consistent, so that either the control side sees the cycle, or the
// cycle sees the new pointer.
struct CycleGuard: Sendable {
  /// Odd while a cycle runs.
  private let phase: CounterCell

  init(_ cell: UnsafeMutablePointer<UInt64>) { phase = CounterCell(cell) }

  @_noLocks @_noAllocation
  func enter() { phase.storeSequential(phase.load() &+ 1) }

  @_noLocks @_noAllocation
  func leave() { phase.storeRelease(phase.load() &+ 1) }

  /// Identifies the cycle that may still hold what was just replaced. [control]
  func ticket() -> UInt64 { phase.loadSequential() }

  /// Returns whether no cycle ran at the ticket's time, or the one that did has ended. [control]
  func isOver(_ ticket: UInt64) -> Bool { ticket % 2 == 0 || phase.loadSequential() != ticket }

  /// The number of cycles begun. [any]
  var cycles: UInt64 { (phase.load() &+ 1) / 2 }
}
