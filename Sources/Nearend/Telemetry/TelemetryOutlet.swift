import Foundation
import Platform
import SessionModel
import Synchronization

/// Delivers records to one destination on a thread of its own, as fast as that accepts them. Adding one never waits. [any]
///
/// A failing destination is retried after 1 s, then 2 s, 4 s … up to a minute. Meanwhile records wait; when the queue is full, the oldest
/// are dropped.
final class TelemetryOutlet: Sendable {
  /// Delivers whole lines, without their line ends.
  typealias Deliver = @Sendable (_ lines: [Data]) throws -> Void

  /// Thrown by `Deliver` if the destination works but will never accept these records: they are dropped, and the next are tried.
  struct Rejected: Error, CustomStringConvertible {
    let description: String
  }

  private let queue: Mutex<TelemetryQueue>
  private let deliver: Deliver
  private let complain: @Sendable (String) -> Void
  /// Raised for each change that the thread should handle.
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - name: the name in diagnostics and metrics.
  ///   - complain: called when the destination starts to fail, and when it works again.
  init(
    name: String, limits: TelemetryQueue.Limits = .init(), complain: @escaping @Sendable (String) -> Void = { _ in },
    deliver: @escaping Deliver
  ) {
    queue = Mutex(TelemetryQueue(name: name, limits: limits))
    self.complain = complain
    self.deliver = deliver
    startThread(name: "telemetry-\(name)") { [weak self, wake] in
      while true {
        // Holds no reference while it sleeps.
        switch self?.work() ?? .forGood {
        case .forGood: return
        case .untilWoken: wake.wait()
        case .seconds(let seconds): _ = wake.wait(timeout: .now() + seconds)
        }
      }
    }
  }

  deinit { stop(timeout: 0) }

  func add(_ line: Data) {
    queue.withLock { $0.add(line) }
    wake.signal()
  }

  /// Tries once more to deliver what waits, unless the destination is failing; then ends the thread. Returns after `timeout` seconds at
  /// most. Idempotent.
  func stop(timeout: Double) {
    let isFirst = queue.withLock { queue in
      defer { queue.isStopping = true }
      return !queue.isStopping
    }
    guard isFirst else { return }
    wake.signal()
    if timeout > 0 { _ = ended.wait(timeout: .now() + timeout) }
  }

  var status: TelemetryOutletStatus { queue.withLock { $0.status } }

  // MARK: The thread

  private enum Sleep { case untilWoken, seconds(Double), forGood }

  /// Delivers what can be delivered, and returns how long to sleep.
  private func work() -> Sleep {
    while true {
      switch queue.withLock({ $0.next(at: monotonicSeconds()) }) {
      case .deliver(let batch): attempt(batch)
      case .wait(let seconds): return seconds.map(Sleep.seconds) ?? .untilWoken
      case .end:
        ended.signal()
        return .forGood
      }
    }
  }

  private func attempt(_ batch: [Data]) {
    var failure: String?
    var isRejected = false
    do { try deliver(batch) } catch {
      isRejected = error is Rejected
      failure = "\(error)"
    }
    let remark = queue.withLock { $0.finish(failure: failure, isRejected: isRejected, at: monotonicSeconds()) }
    if let remark { complain(remark) }
  }
}
