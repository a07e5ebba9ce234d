import Foundation
import Platform
import SessionModel
import Synchronization

/// Turns events into records, and passes them to a file, a server, or both (T3); passes the metrics to a collector (O9). [any]
///
///     events ─▶ rules ─▶ gate ─▶ record ─▶ one line of JSON ─┬▶ outlet "file"
///                  └▶ snapshot, taken on this thread ────────┴▶ outlet "http"
///     metrics, read at intervals ─────────────────────────────▶ outlet "otlp"
final class Telemetry: Sendable {
  /// Takes a snapshot of the state. Never called on the thread that posts an event.
  typealias TakeSnapshot = @Sendable () -> TelemetryDocument?

  private let outlets: [TelemetryOutlet]
  private let export: OTLPExport?
  private let gate: Mutex<TelemetryGate>
  private let log: EventLog?
  private let version: SoftwareVersion
  /// Serializes the encoding of records. Whoever posts an event must not wait for a thread.
  private let queue = SerialThread(name: "telemetry", callsOthers: true)
  /// The thread on which a snapshot is taken.
  private let snapshotThread = Mutex<pthread_t?>(nil)
  private let rules = Mutex(TelemetryRules())
  private let pending = Mutex<Set<TelemetryRecord.Occasion>>([])
  private let subscription = Mutex<EventBus.Subscription?>(nil)

  /// nil without a destination.
  /// - Throws: `TelemetryConfigurationError.badFile`.
  convenience init?(_ options: TelemetryOptions, log: EventLog) throws(TelemetryConfigurationError) {
    var outlets: [TelemetryOutlet] = []
    let complain: @Sendable (String) -> Void = { log.add(.warning, $0) }
    if let path = options.file {
      let file = try TelemetryFile(path: path)
      // One at a time, so that a full disk does not cause duplicates.
      var limits = TelemetryQueue.Limits()
      limits.batch = 1
      outlets.append(TelemetryOutlet(name: "file", limits: limits, complain: complain) { lines in try lines.forEach(file.append) })
    }
    if let url = options.url {
      let upload = TelemetryUpload.http(url)
      outlets.append(TelemetryOutlet(name: "http", complain: complain) { try upload.post($0) })
    }
    let export = options.otlp.map { OTLPExport($0, complain: complain) }
    if outlets.isEmpty, export == nil { return nil }
    self.init(outlets: outlets, export: export, gate: options.gate, log: log)
  }

  init(
    outlets: [TelemetryOutlet], export: OTLPExport? = nil, gate: TelemetryGate, version: String = nearendVersion, log: EventLog? = nil
  ) {
    guard let version = SoftwareVersion(version) else { preconditionFailure("nearend's own version is '\(version)'") }
    self.outlets = outlets
    self.export = export
    self.gate = Mutex(gate)
    self.version = version
    self.log = log
    logRemarks()
  }

  /// Sets what the operator allows to be sent, from the next event on.
  func set(_ gate: TelemetryGate) {
    self.gate.withLock { $0 = gate }
    logRemarks()
  }

  /// Why nothing is sent; nil if something is.
  var heldBack: String? { gate.withLock { $0 }.obstacle(for: version) }

  private func logRemarks() {
    if let heldBack { log?.add(.warning, "telemetry is held back: \(heldBack)") }
    let foreign = gate.withLock { $0 }.foreignTypes
    guard !foreign.isEmpty else { return }
    let own = TelemetryType.allCases.map(\.rawValue).joined(separator: ", ")
    log?.add(.info, "disabledTelemetryTypes also names what nearend never sends: \(foreign.joined(separator: ", ")); it sends \(own)")
  }

  private func allows(_ type: TelemetryType) -> Bool { gate.withLock { $0 }.allows(type, from: version) }

  /// Starts listening. `hasMedia` returns whether a call is up.
  func listen(to bus: EventBus, hasMedia: @escaping @Sendable () -> Bool, snapshot: @escaping TakeSnapshot) {
    let subscription = bus.subscribe { [weak self] news in
      guard case .event(let event) = news else { return }
      let hasMedia = hasMedia()
      self?.handle(event, hasMedia: hasMedia, snapshot)
    }
    self.subscription.withLock { $0 = subscription }
  }

  /// Starts reading the metrics, if there is a collector. They are sent only if snapshots may be, because they reveal no less.
  func read(_ take: @escaping OTLPExport.TakeReport) {
    export?.start { [weak self] in self?.reading(take) }
  }

  /// Takes a report if one may be sent now.
  func reading(_ take: OTLPExport.TakeReport) -> ServiceReport? { allows(.asmSnapshot) ? take() : nil }

  /// The state of the outlets.
  var status: [TelemetryOutletStatus] { (outlets + [export?.outlet].compactMap(\.self)).map(\.status) }

  /// Accepts nothing more, and tries for at most a second to deliver what waits. Idempotent.
  func stop() {
    subscription.withLock { $0.take() }?.cancel()
    // A snapshot may release the service's last reference, and so end this here.
    if snapshotThread.withLock({ $0 }) != pthread_self() { queue.sync {} }
    let share = 1 / Double(outlets.count + (export == nil ? 0 : 1))
    export?.stop(timeout: share)
    for outlet in outlets { outlet.stop(timeout: share) }
  }

  private func handle(_ event: AudioEvent, hasMedia: Bool, _ snapshot: @escaping TakeSnapshot) {
    let decision = rules.withLock { $0.decide(event.kind, hasMedia: hasMedia) }
    if decision.sendsEvent, allows(.asmEvent) {
      let record = TelemetryRecord(event, version: version.description)
      queue.async { self.add(record) }
    }
    guard let occasion = decision.snapshot, allows(.asmSnapshot) else { return }
    // A pending snapshot covers this change, too.
    guard pending.withLock({ $0.insert(occasion).inserted }) else { return }
    queue.async {
      _ = self.pending.withLock { $0.remove(occasion) }
      self.snapshotThread.withLock { $0 = pthread_self() }
      defer { self.snapshotThread.withLock { $0 = nil } }
      guard let document = snapshot() else { return }
      self.add(TelemetryRecord(document, occasion: occasion, time: Date().timeIntervalSince1970, version: self.version.description))
    }
  }

  private func add(_ record: TelemetryRecord) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    // Every field is a number, a string or a list of them: encoding cannot fail.
    guard let line = try? encoder.encode(record) else { return }
    for outlet in outlets { outlet.add(line) }
  }
}
