import PipeWireClient

/// A desk with sound devices in a private session: real PipeWire devices with profiles and routes, which a session manager sets up like
/// those of ALSA and BlueZ, and the ways to manipulate them. It returns with a restarted daemon; cards appear and disappear with the
/// session manager, to which they belong on a real machine. Its thread retains it from `start` to `stop`. [any]
///
/// `@unchecked Sendable`: everything mutable is accessed on the loop's thread or inside `loop.locked`.
package final class Desk: @unchecked Sendable {
  private let socket: String
  private let group: String?
  private let loop = ThreadLoop(name: "desk")
  private var attachment: DeskAttachment?
  private var retry: LoopTimer?
  private var hasManager = false
  private var present: [DeskCard.Kind: DeskCard]
  /// The state of cards that are not on the desk.
  private var absent: [DeskCard.Kind: DeskCard] = [:]
  private var sco = ScoLog()
  private var onChange: (@Sendable () -> Void)?

  /// Creates the desk; `start` adds it to the graph.
  /// - Parameters:
  ///   - socket: the daemon's.
  ///   - cards: the initial cards, at most one of each kind.
  ///   - group: `node.group` of all nodes if they are to share a clock; nil gives each a clock of its own, like hardware.
  package init(socket: String, cards: [DeskCard], group: String? = nil) {
    self.socket = socket
    self.group = group
    present = Dictionary(cards.map { ($0.kind, $0) }) { $1 }
  }

  /// Connects, and reconnects whenever the daemon returns. Idempotent.
  /// - Throws: `PipeWireError` if the system has no thread to spare.
  package func start() throws {
    try loop.start()
    loop.locked {
      guard retry == nil else { return }
      retry = LoopTimer(loop: loop) { self.attach() }
      attach()
    }
  }

  /// Removes everything from the graph. Idempotent.
  package func stop() {
    // End the thread first: it may be about to call what is destroyed here.
    loop.stop()
    loop.locked {
      retry = nil
      attachment = nil
      onChange = nil
    }
  }

  /// Runs `body` while the program that provides the cards hangs; `body` must not query the desk.
  func whileHanging<T>(_ body: () throws -> T) rethrows -> T { try loop.locked(body) }

  // MARK: Facts

  /// The current state of a card; nil while it is not on the desk.
  package func card(_ kind: DeskCard.Kind) -> DeskCard? { loop.locked { present[kind] } }

  /// The id of a card's device in the registry; nil without one.
  package func id(of kind: DeskCard.Kind) -> UInt32? { loop.locked { attachment?.id(of: kind) } }

  /// Every set-up and tear-down of the Bluetooth headset's SCO link so far.
  package var scoEvents: [ScoEvent] { loop.locked { sco.events } }

  /// Whether the SCO link is up.
  package var isScoUp: Bool { loop.locked { sco.isUp } }

  /// The nodes that the room hears, and those that hear the room.
  package var acoustics: Acoustics { loop.locked { Acoustics(present.values) } }

  /// Calls `body` after each change, on the desk's thread with the desk locked: it may query the desk, but must not wait.
  package func notify(_ body: (@Sendable () -> Void)?) { loop.locked { onChange = body } }

  /// Whether there is a session manager, to which cards belong.
  var isManaged: Bool { loop.locked { hasManager } }

  /// Describes the usable cards without a profile from the session manager, or a missing session manager.
  var unsettled: [String] {
    loop.locked {
      guard hasManager else { return ["a session manager"] }
      let unset = present.values.filter { card in
        card.profile == 0 && card.profiles.indices.dropFirst().contains { card.availability(ofProfile: $0) != .no }
      }
      return unset.map { "a profile of \($0.name)" }.sorted()
    }
  }

  /// The ports of every node that should exist now.
  var ports: [String] { loop.locked { present.values.flatMap { $0.activeProfile.nodes.flatMap(\.ports) } } }

  // MARK: Actions

  /// Puts a card on the desk, or back on it: a new device with a new `object.serial` and the same names. The daemon reuses ids, so the id
  /// may be the same. The session manager chooses its profile.
  package func plug(_ kind: DeskCard.Kind) {
    loop.locked {
      guard present[kind] == nil else { return }
      present[kind] = (absent.removeValue(forKey: kind) ?? .make(kind)).asPluggedIn
      show(kind, because: .gone)
    }
  }

  /// Puts this card in the place of the one of its kind, which has been unplugged.
  package func plug(card: DeskCard) {
    loop.locked { absent[card.kind] = card }
    plug(card.kind)
  }

  /// Removes a card, whatever it is used for.
  package func unplug(_ kind: DeskCard.Kind) {
    loop.locked {
      absent[kind] = present.removeValue(forKey: kind) ?? absent[kind]
      show(kind, because: .gone)
    }
  }

  /// Removes a card and puts it back at once, like a loose contact or a driver reset.
  package func replug(_ kind: DeskCard.Kind) {
    loop.locked {
      unplug(kind)
      plug(kind)
    }
  }

  /// Plugs something into a card's jack, or unplugs it. The other routes that ALSA's mixer paths tie to the jack change with it.
  package func set(_ jack: DeskJack, isPlugged: Bool) {
    change(jack.card) { card in
      for (route, plugged, unplugged) in jack.routes { card.set(isPlugged ? plugged : unplugged, of: route) }
      return true
    }
  }

  /// Chooses a card's profile by name, as a person would.
  /// - Throws: `SessionError` if the card is missing or has no such profile.
  package func select(profile name: String, of kind: DeskCard.Kind) throws {
    let isDone = change(kind) { card in
      card.profiles.firstIndex { $0.name == name }.map { card.select(profile: $0, isSaved: true) } ?? false
    }
    guard isDone else { throw SessionError(.invalidRequest, "the desk has no \(kind.rawValue) with the profile '\(name)'") }
  }

  /// Chooses a card's route by name, as a person would.
  /// - Throws: `SessionError` if the card is missing, has no such route, or its profile has no node for it.
  package func select(route name: String, of kind: DeskCard.Kind) throws {
    let isDone = change(kind) { card in
      guard let index = card.routes.firstIndex(where: { $0.name == name }) else { return false }
      return card.routes[index].devices.reduce(false) { card.select(route: index, device: $1, isSaved: true) || $0 }
    }
    guard isDone else { throw SessionError(.invalidRequest, "the desk has no \(kind.rawValue) that could use the route '\(name)' now") }
  }

  /// Changes the description of a card and its nodes. Names stay, but not the ids of nodes.
  /// - Throws: `SessionError` if the card is missing.
  package func rename(_ kind: DeskCard.Kind, to description: String) throws {
    let isDone = change(kind) {
      $0.description = description
      return true
    }
    guard isDone else { throw SessionError(.invalidRequest, "the desk has no \(kind.rawValue) to rename", remedy: "plug it first") }
  }

  /// Makes the Bluetooth headset's own source internal, as WirePlumber does where the headset has a loopback.
  func hideHeadsetSource(behind loopback: HeadsetLoopback) {
    change(.bluetooth) {
      $0.hideSources(behind: loopback)
      return true
    }
  }

  // MARK: Inside

  private func attach() {
    attachment = nil
    do {
      attachment = try DeskAttachment(loop: loop, socket: socket) {
        self.manage($0)
      } lost: {
        self.manage(false)
        // Deferred, because this is the connection's own event.
        self.retry?.schedule(after: 0.05)
      }
    } catch {
      retry?.schedule(after: 0.2)
    }
  }

  /// Adds the cards with a session manager, as after a boot, and removes them with it.
  private func manage(_ isManaged: Bool) {
    guard isManaged != hasManager else { return }
    hasManager = isManaged
    guard isManaged else {
      attachment?.withdrawAll()
      note(.gone)
      return changed()
    }
    for (kind, card) in present {
      present[kind] = card.asPluggedIn
      show(kind, because: .gone)
    }
  }

  @discardableResult
  private func change(_ kind: DeskCard.Kind, _ body: (inout DeskCard) -> Bool) -> Bool {
    loop.locked {
      guard var card = present[kind] else { return false }
      let before = card
      guard body(&card) else { return false }
      present[kind] = card
      if card != before { show(kind, because: card.profile == before.profile ? .idle : .profile) }
      return true
    }
  }

  private func show(_ kind: DeskCard.Kind, because reason: ScoEvent.Reason) {
    if hasManager { try? attachment?.show(present[kind], of: kind, group: group, requests: requests(of: kind)) }
    note(reason)
    changed()
  }

  private func note(_ reason: ScoEvent.Reason) {
    let isStreaming = attachment?.isStreaming(.bluetooth) ?? false
    sco.note(isStreaming: isStreaming, reason: isStreaming ? .streaming : reason)
  }

  private func changed() { onChange?() }

  private func requests(of kind: DeskCard.Kind) -> CardExport.Requests {
    CardExport.Requests(
      setProfile: { index, isSaved in self.change(kind) { $0.select(profile: index, isSaved: isSaved) } },
      setRoute: { index, device, isSaved in self.change(kind) { $0.select(route: index, device: device, isSaved: isSaved) } },
      setVolume: { device, volume, isMuted in
        self.change(kind) {
          $0.set(volume: volume, isMuted: isMuted, of: device)
          return true
        }
      },
      ran: { self.note(.idle) })
  }
}
