import Dispatch
import Platform

/// Calls a function periodically, on a thread of its own, until it is freed.
final class Ticker: Sendable {
  private let end = DispatchSemaphore(value: 0)

  /// Calls `body` at once for the first time; calls that are late are left out.
  init(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
    let interval = UInt64(milliseconds) * 1_000_000
    startThread(name: "nearend.source") { [end] in
      var due = DispatchTime.now().uptimeNanoseconds
      while end.wait(timeout: DispatchTime(uptimeNanoseconds: due)) == .timedOut {
        body()
        due = max(due + interval, DispatchTime.now().uptimeNanoseconds)
      }
    }
  }

  deinit { end.signal() }
}
