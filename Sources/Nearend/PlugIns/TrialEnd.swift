import Glibc
import Synchronization

/// A request to end all trials of plug-ins, which also wakes a trial that is waiting. [any]
final class TrialEnd: Sendable {
  private let ends: (reading: Int32, writing: Int32)
  private let requested = Mutex(false)

  init() {
    var ends: [Int32] = [-1, -1]
    // Without a pipe a waiting trial notices the request only after its time limit.
    if pipe(&ends) != 0 { ends = [-1, -1] }
    for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    self.ends = (ends[0], ends[1])
  }

  deinit { for end in [ends.reading, ends.writing] where end >= 0 { close(end) } }

  /// Becomes readable once the end is requested; negative if there is no pipe.
  var descriptor: Int32 { ends.reading }

  var isRequested: Bool { requested.withLock { $0 } }

  /// Idempotent.
  func request() {
    let isFirst = requested.withLock { requested in
      defer { requested = true }
      return !requested
    }
    if isFirst { _ = write(ends.writing, [0], 1) }
  }
}
