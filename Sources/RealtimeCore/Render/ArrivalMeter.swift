internal import Glibc

/// How regularly a sink's writes come. Belongs to the writers: the audio thread never sees it.
///
/// A write is due when the frames of the one before have played; its deviation is how much later, or sooner, it comes. Jitter is the mean size of
/// the deviation, smoothed by a sixteenth as in RFC 3550, 6.4.1. A **jitter spike** is a write that comes late by more than `floor`, and by more than
/// `factor` times the jitter so far. A writer that is later than `pause` had nothing to say: that is no jitter, and its next write begins anew.
struct ArrivalMeter {
  /// Seconds; three packets of the usual 20 ms. What is less late, half of a ring of 200 ms takes in.
  static let floor = 0.06
  /// Of the jitter so far: on a bad network, only what is bad for it is a spike.
  static let factor = 4.0
  /// Seconds.
  static let pause = 1.0

  /// Seconds.
  private(set) var jitter = 0.0
  /// ns of CLOCK_MONOTONIC at which the next write is due.
  private var due: UInt64?

  /// A write of `frames` at `now`, in ns of CLOCK_MONOTONIC. Returns how late it is, in seconds, where that is a spike.
  mutating func arrived(frames: Int, rate: Int, at now: UInt64) -> Double? {
    defer { due = now &+ UInt64(frames) * 1_000_000_000 / UInt64(rate) }
    guard let due else { return nil }
    let deviation = Double(Int64(bitPattern: now &- due)) / 1e9
    guard deviation <= Self.pause else { return nil }
    defer { jitter += (min(abs(deviation), Self.pause) - jitter) / 16 }
    return deviation > max(Self.floor, Self.factor * jitter) ? deviation : nil
  }

  /// The next write follows no other.
  mutating func restart() { due = nil }
}

/// CLOCK_MONOTONIC in ns. [any]
func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
