import Foundation
import PipeWireClient
import Platform
import SessionModel
import Synchronization

/// Brings records to one place, from a thread of its own, as fast as that place takes them. Whoever adds one never waits. [any]
///
/// A place that fails is tried again after 1 s, then 2 s, 4 s … a minute. Meanwhile records wait; where more wait than there is room for, the oldest go.
final class TelemetryOutlet: Sendable {
  /// How a place takes records: whole lines, without their line ends.
  typealias Deliver = @Sendable (_ lines: [Data]) throws -> Void

  /// Thrown by `Deliver` where the place works and will never take these records: they are dropped, and the next are tried.
  struct Rejected: Error, CustomStringConvertible {
    let description: String
  }

  private let queue: Mutex<TelemetryQueue>
  private let deliver: Deliver
  private let complain: @Sendable (String) -> Void
  /// Raised for each thing that the thread should look at.
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - name: as diagnostics and metrics call it.
  ///   - complain: called when a place begins to fail, and when it works again.
  init(
    name: String, limits: TelemetryQueue.Limits = .init(), complain: @escaping @Sendable (String) -> Void = { _ in },
    deliver: @escaping Deliver
  ) {
    queue = Mutex(TelemetryQueue(name: name, limits: limits))
    self.complain = complain
    self.deliver = deliver
    startThread(name: "telemetry-\(name)") { [weak self, wake] in
      while true {
        // No reference is held while it rests.
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

  /// One last attempt for what waits, unless the place fails now; then the thread ends. Returns after `timeout` seconds at most. Doing it again has no effect.
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

  private enum Rest { case untilWoken, seconds(Double), forGood }

  /// Delivers what can be delivered, and says how long to rest.
  private func work() -> Rest {
    while true {
      switch queue.withLock({ $0.next(at: monotonicSeconds()) }) {
      case .deliver(let batch): attempt(batch)
      case .rest(let seconds): return seconds.map(Rest.seconds) ?? .untilWoken
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
