import PipeWireClient

/// The session manager's metadata "default", and "filters" where it has it, over a connection of its own. [control]
///
/// After a client has bound the metadata, the daemon (0.3.65 to 1.6) accepts nothing more from it until the session manager has answered,
/// and never again if that ends first. Links, devices and the filter must not wait for it.
final class DefaultMetadata {
  /// The current metadata; nil without a session manager.
  private(set) var metadata: Metadata?
  /// What it is told of filters; nil if it understands no smart ones.
  private(set) var filters: Metadata?

  private let loop: ThreadLoop
  private let remote: String?
  private let properties: Properties
  private let changed: () -> Void
  private var connection: Connection?
  private var object: GlobalObject?
  private var filtersObject: GlobalObject?
  /// Replaces `metadata` as soon as it has every value.
  private var next: Metadata?
  private let rebinding: LoopTimer
  /// Boolean values indicating whether a rebinding is due, and whether another client has appeared since it was scheduled.
  private var (isRebindDue, rebindsAgain) = (false, false)
  private let reconnecting: LoopTimer

  /// The keys to read.
  private static let keys: Set<String> = [
    "default.audio.sink", "default.audio.source", "default.configured.audio.sink", "default.configured.audio.source",
  ]
  /// Seconds within which a new client binds the metadata, if it does.
  private static let bindingTime = 0.5
  /// Seconds between attempts to reconnect.
  private static let reconnectInterval = 0.25

  /// `changed` is called when there are new values to read.
  init(loop: ThreadLoop, remote: String?, properties: Properties, changed: @escaping () -> Void) {
    self.loop = loop
    self.remote = remote
    self.properties = properties
    self.changed = changed
    rebinding = LoopTimer(loop: loop)
    reconnecting = LoopTimer(loop: loop)
    rebinding.connect(to: self) { $0.rebind() }
    reconnecting.connect(to: self) { $0.connect() }
    connect()
  }

  deinit {
    rebinding.cancel()
    reconnecting.cancel()
    disconnect()
  }

  /// Waits until the daemon has reported everything, or for `timeout` seconds: a session manager may hang.
  func wait(timeout: Double = 1) {
    // Twice, because metadata is bound when the registry reports it, and its values come with the next answer.
    for _ in 0..<2 where connection?.roundTrip(timeout: timeout) != true { return }
  }

  private func disconnect() {
    (metadata, next, object) = (nil, nil, nil)
    (filters, filtersObject) = (nil, nil)
    connection = nil
  }

  private func connect() {
    rebinding.pause()
    (isRebindDue, rebindsAgain) = (false, false)
    disconnect()
    connection = try? Connection(loop: loop, remote: remote, properties: properties) { [weak self] in self?.handle($0) }
    if connection == nil { reconnecting.schedule(after: Self.reconnectInterval) }
    changed()
  }

  private func handle(_ event: Connection.Event) {
    switch event {
    case .added(let object) where object.kind == .client:
      // While a client binds the metadata, the daemon reports changes to that client alone: bind it again soon.
      if metadata != nil { rebindSoon() }
    // The session manager's is the oldest; any client may export one of that name.
    case .added(let object) where Self.is(object, named: "default"):
      if self.object.map({ object.serial < $0.serial }) ?? true { bind(object) }
    case .added(let object) where Self.is(object, named: "filters"):
      if filtersObject.map({ object.serial < $0.serial }) ?? true { bindFilters(object) }
    case .removed(let object) where object == self.object:
      (metadata, next, self.object) = (nil, nil, nil)
      changed()
      // Deferred, because this is the connection's own event. Pending answers would never come.
      reconnecting.schedule(after: 0.001)
    case .removed(let object) where object == filtersObject:
      (filters, filtersObject) = (nil, nil)
      changed()
      reconnecting.schedule(after: 0.001)
    case .lost: reconnecting.schedule(after: Self.reconnectInterval)
    default: break
    }
  }

  private static func `is`(_ object: GlobalObject, named name: String) -> Bool {
    object.kind == .metadata && object.properties["metadata.name"] == name
  }

  private func bindFilters(_ object: GlobalObject) {
    guard let connection else { return }
    filtersObject = object
    filters = try? Metadata(connection, object: object, keys: []) { _ in }
    changed()
  }

  private func bind(_ object: GlobalObject) {
    guard let connection else { return }
    self.object = object
    metadata = try? Metadata(connection, object: object, keys: Self.keys) { [weak self] _ in self?.changed() }
  }

  /// Rebinds after half a second, and once more if other clients appeared meanwhile. Postponing at each arrival could delay it forever.
  private func rebindSoon() {
    rebindsAgain = isRebindDue
    guard !isRebindDue else { return }
    isRebindDue = true
    rebinding.schedule(after: Self.bindingTime)
  }

  private func rebind() {
    isRebindDue = false
    if rebindsAgain { rebindSoon() }
    guard let connection, let object, metadata?.isKnown == true else { return }
    next = try? Metadata(connection, object: object, keys: Self.keys) { [weak self] _ in self?.nextChanged() }
  }

  private func nextChanged() {
    if let next, next.isKnown { (metadata, self.next) = (next, nil) }
    changed()
  }
}
