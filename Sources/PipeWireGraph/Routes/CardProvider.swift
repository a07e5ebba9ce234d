import PipeWireClient
import Platform

/// Watches the cards of one client over a connection of its own. [control]
///
/// If a card disappears without answering a query, no answer ever comes, and the connection is replaced.
final class CardProvider {
  private let connect: (@escaping (Connection.Event) -> Void) -> Connection?
  private let changed: () -> Void
  private var connection: Connection?
  /// By serial number.
  private var cards: [UInt64: Card] = [:]
  private let reconnecting: LoopTimer
  private let waiting: LoopTimer

  private struct Card {
    let object: GlobalObject
    /// nil while it cannot be queried.
    var info: DeviceInfo?
    /// Seconds of the monotonic clock.
    var since: Double
  }

  /// Seconds after which a card that has not answered counts as having no profiles and ports, until it answers.
  static let patience = 5.0
  /// Seconds between attempts to reach the daemon.
  private static let reconnectInterval = 0.25

  init(
    loop: ThreadLoop, connect: @escaping (@escaping (Connection.Event) -> Void) -> Connection?, changed: @escaping () -> Void
  ) {
    self.connect = connect
    self.changed = changed
    reconnecting = LoopTimer(loop: loop)
    waiting = LoopTimer(loop: loop)
    reconnecting.connect(to: self) { $0.reconnect() }
    waiting.connect(to: self) { $0.changed() }
    reconnect()
  }

  deinit {
    reconnecting.cancel()
    waiting.cancel()
    cards = [:]
    connection = nil
  }

  /// Watches exactly these cards.
  func watch(_ objects: some Collection<GlobalObject>) {
    let serials = Set(objects.map(\.serial))
    for (serial, card) in cards where !serials.contains(serial) {
      cards[serial] = nil
      // Deferred, because this may run inside the connection's own event.
      if card.info?.isQuerying == true { reconnecting.schedule(after: 0.001) }
    }
    for object in objects where cards[object.serial] == nil {
      cards[object.serial] = Card(object: object, since: monotonicSeconds())
      waiting.schedule(after: Self.patience + 0.01)
    }
    bind()
  }

  /// Binds cards that this connection's own registry has reported; before it may see an object, the daemon refuses.
  private func bind() {
    guard let connection else { return }
    for (serial, card) in cards where card.info == nil && connection.objects[card.object.id]?.serial == serial {
      cards[serial]?.info = try? DeviceInfo(connection, id: card.object.id, changed: changed)
    }
  }

  /// Waits until the daemon has processed all requests, for a second at most.
  func wait() { connection?.roundTrip(timeout: 1) }

  /// Waits until every card is known, or until `end`, in seconds of the monotonic clock.
  func waitUntilKnown(until end: Double) {
    // Three round trips: for the registry, the card's list of params, and the params.
    for _ in 0..<3 where connection?.roundTrip(timeout: max(0, end - monotonicSeconds())) != true { return }
  }

  func card(_ object: GlobalObject) -> DeviceInfo? { cards[object.serial]?.info }

  /// Returns whether the card has answered, has not answered for `patience`, or is not watched.
  func isSettled(_ object: GlobalObject) -> Bool {
    guard let card = cards[object.serial] else { return true }
    return card.info?.isKnown == true || monotonicSeconds() >= card.since + Self.patience
  }

  var known: [(object: GlobalObject, info: DeviceInfo)] {
    cards.values.compactMap { card in card.info.flatMap { $0.isKnown ? (card.object, $0) : nil } }
  }

  private func reconnect() {
    for (serial, card) in cards {
      // A card that was known is queried again, and must not count as one without ports meanwhile.
      if card.info?.isKnown == true { cards[serial]?.since = monotonicSeconds() }
      cards[serial]?.info = nil
    }
    waiting.schedule(after: Self.patience + 0.01)
    connection = nil
    connection = connect { [weak self] event in
      switch event {
      case .added(let object) where object.kind == .device: self?.bind()
      case .lost: self?.reconnecting.schedule(after: Self.reconnectInterval)
      default: break
      }
    }
    if connection == nil { return reconnecting.schedule(after: Self.reconnectInterval) }
    changed()
  }
}
