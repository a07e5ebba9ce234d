import PipeWireClient
import Platform

/// Watches every card; the cards of each client over a connection of their own. [control]
///
/// After a client has queried a card, the daemon (0.3.65 to 1.6) accepts nothing more from it until the program that provides the card has
/// answered: mostly a session manager, but any client may provide one. A program that hangs thus delays its own cards only, and never
/// links, devices or the filter.
final class CardWatch {
  private let loop: ThreadLoop
  private let connect: (@escaping (Connection.Event) -> Void) -> Connection?
  private let changed: () -> Void
  /// Keyed by the client that provides the cards; nil for the daemon's own.
  private var providers: [UInt32?: CardProvider] = [:]

  /// The most clients whose cards are watched, and the most cards of each.
  static let most = (providers: 8, cards: 64)
  /// Whether there are more cards than are watched.
  private(set) var isFull = false

  /// `changed` is called when a card has reported something, or has not answered for `CardProvider.patience`.
  init(loop: ThreadLoop, remote: String?, properties: Properties, changed: @escaping () -> Void) {
    self.loop = loop
    self.changed = changed
    connect = { try? Connection(loop: loop, remote: remote, properties: properties, handler: $0) }
  }

  /// Watches exactly these cards, as far as `most` allows: those already watched first, then the oldest.
  func watch(_ cards: [GlobalObject]) {
    let byClient = Dictionary(grouping: cards.sorted { $0.serial < $1.serial }) { $0.id("client.id") }
    providers = providers.filter { byClient[$0.key] != nil }
    isFull = false
    for (client, cards) in byClient.sorted(by: { $0.value[0].serial < $1.value[0].serial }) {
      isFull = isFull || cards.count > Self.most.cards
      if providers[client] == nil {
        guard providers.count < Self.most.providers else {
          isFull = true
          continue
        }
        providers[client] = CardProvider(loop: loop, connect: connect, changed: changed)
      }
      providers[client]?.watch(cards.prefix(Self.most.cards))
    }
  }

  /// Waits until every card is known, for up to `timeout` seconds in all.
  func waitUntilKnown(timeout: Double = 2) {
    let end = monotonicSeconds() + timeout
    for provider in providers.values { provider.waitUntilKnown(until: end) }
  }

  /// Requests another profile of the card with that name; if `waits`, waits briefly until the daemon has the request.
  func select(profile: String, ofCard name: String, waits: Bool) {
    guard let (object, info) = all.first(where: { $0.object.properties["device.name"] == name }) else { return }
    if info.select(profile: profile), waits { providers[object.id("client.id")]?.wait() }
  }

  /// Returns that card; nil if it is not watched.
  func card(_ object: GlobalObject) -> DeviceInfo? { providers[object.id("client.id")]?.card(object) }

  /// Returns whether nothing more is expected to become known of that card: it has answered, has not answered for `CardProvider.patience`,
  /// or is not watched.
  func isSettled(_ object: GlobalObject) -> Bool { providers[object.id("client.id")]?.isSettled(object) ?? true }

  /// All known cards by `device.name`; of several with the same name, the oldest.
  var known: [(name: String, info: DeviceInfo)] {
    var names: Set<String> = []
    return all.compactMap { object, info in
      object.properties["device.name"].flatMap { names.insert($0).inserted ? ($0, info) : nil }
    }
  }

  /// All known cards, the oldest first.
  private var all: [(object: GlobalObject, info: DeviceInfo)] {
    providers.values.flatMap(\.known).sorted { $0.object.serial < $1.object.serial }
  }
}
