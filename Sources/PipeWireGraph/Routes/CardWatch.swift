import PipeWireClient

/// Watches every card over a connection of its own. [control]
///
/// The daemon (0.3.65 to 1.6) takes nothing more from a client that has queried a card until the program that provides the card has
/// answered: mostly a session manager. If that hangs, links, devices and the filter must not wait for it; if it ends first, no answer ever
/// comes.
final class CardWatch {
  private let loop: ThreadLoop
  private let remote: String?
  private let properties: Properties
  private let changed: () -> Void
  private var connection: Connection?
  private var cards: [UInt32: Card] = [:]
  private let reconnecting: LoopTimer

  /// A card with its registry object and its own params.
  private struct Card {
    let object: GlobalObject
    let info: DeviceInfo
  }

  /// Cards that are asked: any client may bring as many as it likes.
  static let most = 64
  /// Whether there were more.
  private(set) var isFull = false

  /// Seconds between attempts to reach the daemon.
  private static let reconnectInterval = 0.25

  /// `changed` is called when a card came, went, or reported something.
  init(loop: ThreadLoop, remote: String?, properties: Properties, changed: @escaping () -> Void) {
    self.loop = loop
    self.remote = remote
    self.properties = properties
    self.changed = changed
    reconnecting = LoopTimer(loop: loop)
    reconnecting.connect(to: self) { $0.connect() }
    connect()
  }

  deinit {
    reconnecting.cancel()
    cards = [:]
    connection = nil
  }

  /// Waits until the daemon has processed all requests, or for `timeout` seconds.
  func wait(timeout: Double = 1) { connection?.roundTrip(timeout: timeout) }

  /// Waits until every card is known, for up to `timeout` seconds at each step.
  func waitUntilKnown(timeout: Double = 1) {
    // In steps: the registry, the card's list of params, and the params.
    for _ in 0..<3 where connection?.roundTrip(timeout: timeout) != true { return }
  }

  /// Returns the card of that object; nil until it is known here.
  func card(_ object: GlobalObject) -> DeviceInfo? { cards[object.id].flatMap { $0.object.serial == object.serial ? $0.info : nil } }

  /// All known cards, by `device.name`.
  var known: [(name: String, info: DeviceInfo)] {
    cards.values.compactMap { card in card.info.isKnown ? card.object.properties["device.name"].map { ($0, card.info) } : nil }
  }

  private func connect() {
    cards = [:]
    connection = nil
    connection = try? Connection(loop: loop, remote: remote, properties: properties) { [weak self] in self?.handle($0) }
    if connection == nil { reconnecting.schedule(after: Self.reconnectInterval) }
    changed()
  }

  private func handle(_ event: Connection.Event) {
    switch event {
    case .added(let object) where object.kind == .device && object.properties["media.class"] == "Audio/Device":
      guard cards.count < Self.most else { return isFull = true }
      guard let connection, let info = try? DeviceInfo(connection, id: object.id, changed: changed) else { return }
      cards[object.id] = Card(object: object, info: info)
      changed()
    case .removed(let object):
      guard let card = cards.removeValue(forKey: object.id) else { return }
      changed()
      // Not inside the connection's own event.
      if card.info.isAsking { reconnecting.schedule(after: 0.001) }
    case .lost: reconnecting.schedule(after: Self.reconnectInterval)
    default: break
    }
  }
}
