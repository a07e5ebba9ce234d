import Glibc
import Platform

/// Tracks the outcome of libpipewire's request for realtime priority, made by module-rt: rtkit and limits may refuse it, grant it late, or
/// revoke it. [control]
struct PriorityWatch {
  /// As in `GraphStatus.realtimePriority`.
  private(set) var value: Int?
  private var next = -Double.infinity

  /// Seconds between checks: each queries the system about every thread of the process.
  private static let interval = 5.0

  /// Checks the priority if that is due. Call this while cycles run.
  mutating func poll() {
    let now = monotonicSeconds()
    guard now >= next else { return }
    // The request is made when the thread begins, and takes a moment by way of rtkit.
    next = now + (value ?? 0 == 0 ? 1 : Self.interval)
    value = realtimePriority(ofProcess: getpid())
  }
}
