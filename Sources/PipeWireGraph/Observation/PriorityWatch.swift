import Glibc
import PipeWireClient
import Platform

/// What came of libpipewire's request for realtime priority, by module-rt: rtkit and limits may refuse it, grant it late, or take it away.
/// [control]
struct PriorityWatch {
  /// As in `GraphStatus.realtimePriority`.
  private(set) var value: Int?
  private var next = -Double.infinity

  /// Seconds between looks: each asks the system about every thread of the process.
  private static let interval = 5.0

  /// Call it while cycles run.
  mutating func look() {
    let now = monotonicSeconds()
    guard now >= next else { return }
    // Asked for when the thread begins; by way of rtkit that takes a moment.
    next = now + (value ?? 0 == 0 ? 1 : Self.interval)
    value = realtimePriority(ofProcess: getpid())
  }
}
