import Foundation
import SessionModel

/// The records waiting for one destination, and when to try it. Pure: given the time, in seconds of a monotonic clock.
struct TelemetryQueue: Sendable {
  struct Limits: Sendable {
    /// The largest number of waiting records.
    var capacity = 1_000
    /// The largest number of waiting bytes; a single record may exceed it.
    var bytes = 4 << 20
    /// The largest number of records per delivery.
    var batch = 64
    /// Seconds before a failed destination is retried: initially, doubling up to the maximum.
    var backOff = 1.0...60.0
  }

  enum Step: Equatable {
    case deliver([Data])
    /// Seconds to wait; nil until something is added.
    case wait(Double?)
    case end
  }

  /// Whether records are no longer accepted, and failures not retried.
  var isStopping = false
  private let limits: Limits
  private var lines: [Data] = []
  private var bytes = 0
  /// The delivery in progress.
  private var batch: [Data] = []
  /// Number of records at the front that are sent one by one, because the destination rejected them together.
  private var singles = 0
  private var failures = 0
  private var retryAt = -Double.infinity
  private var counts: TelemetryOutletStatus

  init(name: String, limits: Limits) {
    self.limits = limits
    counts = TelemetryOutletStatus(name: name)
  }

  var status: TelemetryOutletStatus {
    var status = counts
    status.queued = lines.count + batch.count
    return status
  }

  mutating func add(_ line: Data) {
    guard !isStopping else { return }
    lines.append(line)
    bytes += line.count
    trim()
  }

  /// Returns what to do now. Each delivery is followed by `finish`.
  mutating func next(at now: Double) -> Step {
    if isStopping, lines.isEmpty || failures > 0 {
      counts.dropped += lines.count
      lines = []
      bytes = 0
      return .end
    }
    if lines.isEmpty { return .wait(nil) }
    if retryAt > now { return .wait(retryAt - now) }
    batch = Array(lines.prefix(singles > 0 ? 1 : limits.batch))
    lines.removeFirst(batch.count)
    bytes -= Self.size(batch)
    return .deliver(batch)
  }

  /// Takes the result of a delivery; `failure` is nil on success. Returns a message for people, if any.
  mutating func finish(failure: String?, isRejected: Bool, at now: Double) -> String? {
    defer { batch = [] }
    if isRejected, batch.count > 1 {
      singles = batch.count
      putBack()
      return nil
    }
    let hadFailed = counts.failure != nil
    counts.failure = failure
    if failure == nil || isRejected { singles = max(0, singles - 1) }
    guard let failure else {
      counts.delivered += batch.count
      failures = 0
      return hadFailed ? "telemetry (\(counts.name)) works again" : nil
    }
    if isRejected {
      counts.dropped += batch.count
      failures = 0
    } else {
      putBack()
      trim()
      failures += 1
      retryAt = now + min(limits.backOff.lowerBound * Double(1 << min(failures - 1, 20)), limits.backOff.upperBound)
    }
    return hadFailed ? nil : "telemetry (\(counts.name)) fails: \(failure)\(isRejected ? "" : "; retrying with backoff")"
  }

  private mutating func putBack() {
    lines.insert(contentsOf: batch, at: 0)
    bytes += Self.size(batch)
  }

  private mutating func trim() {
    while lines.count > 1, lines.count > limits.capacity || bytes > limits.bytes {
      singles = max(0, singles - 1)
      bytes -= lines.removeFirst().count
      counts.dropped += 1
    }
  }

  private static func size(_ lines: [Data]) -> Int { lines.reduce(0) { $0 + $1.count } }
}
