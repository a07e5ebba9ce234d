import Foundation
import SessionModel

/// Records that wait for one place, and when it is to be tried. Pure: time is given, in seconds of any clock that never goes back.
struct TelemetryQueue: Sendable {
  struct Limits: Sendable {
    /// Records that may wait.
    var capacity = 1_000
    /// Bytes that may wait; one record always may.
    var bytes = 4 << 20
    /// Records in one delivery.
    var batch = 64
    /// Seconds before a place that failed is tried again: at first, doubled each time, and at most.
    var backOff = 1.0...60.0
  }

  enum Step: Equatable {
    case deliver([Data])
    /// Seconds; nil: until something is added.
    case rest(Double?)
    case end
  }

  /// Nothing more is taken, and a place that fails is not tried again.
  var isStopping = false
  private let limits: Limits
  private var lines: [Data] = []
  private var bytes = 0
  /// The delivery that is under way.
  private var batch: [Data] = []
  /// Records at the front that go alone, because the place did not take them together.
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
    dropWhatIsTooMuch()
  }

  /// What to do now. Each delivery is followed by `finish`.
  mutating func next(at now: Double) -> Step {
    if isStopping, lines.isEmpty || failures > 0 {
      counts.dropped += lines.count
      lines = []
      bytes = 0
      return .end
    }
    if lines.isEmpty { return .rest(nil) }
    if retryAt > now { return .rest(retryAt - now) }
    batch = Array(lines.prefix(singles > 0 ? 1 : limits.batch))
    lines.removeFirst(batch.count)
    bytes -= Self.size(batch)
    return .deliver(batch)
  }

  /// How the delivery went; `failure` is nil where it went well. Returns what is worth telling people.
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
      dropWhatIsTooMuch()
      failures += 1
      retryAt = now + min(limits.backOff.lowerBound * Double(1 << min(failures - 1, 20)), limits.backOff.upperBound)
    }
    return hadFailed ? nil : "telemetry (\(counts.name)) fails: \(failure)\(isRejected ? "" : "; trying again now and then")"
  }

  private mutating func putBack() {
    lines.insert(contentsOf: batch, at: 0)
    bytes += Self.size(batch)
  }

  private mutating func dropWhatIsTooMuch() {
    while lines.count > 1, lines.count > limits.capacity || bytes > limits.bytes {
      singles = max(0, singles - 1)
      bytes -= lines.removeFirst().count
      counts.dropped += 1
    }
  }

  private static func size(_ lines: [Data]) -> Int { lines.reduce(0) { $0 + $1.count } }
}
