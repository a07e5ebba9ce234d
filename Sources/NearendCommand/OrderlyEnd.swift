import DashboardTerminal
import Glibc
import Platform
import Synchronization

/// Ends what a dashboard shows, once: by the thread that shows it, or by another one where a stop is requested while the terminal takes
/// nothing, so that the first hangs in a write. [any]
final class OrderlyEnd: Sendable {
  /// Seconds that a dashboard may take to notice a stop.
  private static let patience = 0.5
  private let isTaken = Atomic(false)
  private let end: @Sendable () -> Void

  /// - Parameters:
  ///   - stop: of a dashboard; nil without one, where nothing hangs, and the last status must not be cut off.
  ///   - end: called once.
  init(_ stop: StopRequest?, end: @escaping @Sendable () -> Void = {}) {
    self.end = end
    stop?.whenRequested { [weak self] in
      startThread(name: "stop") { [weak self] in
        pause(seconds: Self.patience)
        self?.endWithoutTerminal()
      }
    }
  }

  /// Ends it, once what is shown is over.
  func run() {
    // The other thread ends the process.
    while isTaken.exchange(true, ordering: .relaxed) { pause(seconds: 1) }
    StopLimit.begin()
    end()
    StopLimit.end()
  }

  private func endWithoutTerminal() {
    if isTaken.exchange(true, ordering: .relaxed) { return }
    StopLimit.begin()
    end()
    Dashboard.abandonTerminal()
    _exit(ExitStatus.success.rawValue)
  }
}
