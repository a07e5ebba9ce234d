/// Measures how regularly a sink's writes arrive. Belongs to the writers; the audio thread never sees it.
///
/// A write is due when the frames of the previous one have played; its deviation is how much earlier or later it arrives. Jitter is the
/// mean absolute deviation, smoothed by a sixteenth as in RFC 3550, 6.4.1. A **jitter spike** is a write that is late by more than `floor`,
/// and by more than `factor` times the jitter so far. A writer later than `pause` had nothing to send: that is not jitter, and its next
/// write starts a new sequence.
struct ArrivalMeter {
  /// Seconds: three packets of the usual 20 ms. Half of a ring of 200 ms absorbs less.
  static let floor = 0.06
  /// A multiple of the jitter so far, so that a bad network has spikes only by its own standards.
  static let factor = 4.0
  /// Seconds.
  static let pause = 1.0

  /// Seconds.
  private(set) var jitter = 0.0
  /// Nanoseconds of CLOCK_MONOTONIC at which the next write is due.
  private var due: UInt64?

  /// Records a write of `frames` at `now`, in ns of CLOCK_MONOTONIC. Returns how late it is, in seconds, if that is a spike.
  mutating func arrived(frames: Int, rate: Int, at now: UInt64) -> Double? {
    defer { due = now &+ UInt64(frames) * 1_000_000_000 / UInt64(rate) }
    guard let due else { return nil }
    let deviation = Double(Int64(bitPattern: now &- due)) / 1e9
    guard deviation <= Self.pause else { return nil }
    defer { jitter += (min(abs(deviation), Self.pause) - jitter) / 16 }
    return deviation > max(Self.floor, Self.factor * jitter) ? deviation : nil
  }

  /// Makes the next write the first of a sequence.
  mutating func restart() { due = nil }
}
