/// An incident on a desk or in its session; its text is a line of a rehearsal's script: `unplug headphones`.
package enum Incident: Sendable, Equatable {
  case plug(DeskCard.Kind)
  case unplug(DeskCard.Kind)
  case replug(DeskCard.Kind)
  case jack(DeskJack, isPlugged: Bool)
  case profile(DeskCard.Kind, name: String)
  case route(DeskCard.Kind, name: String)
  case rename(DeskCard.Kind, description: String)
  case stop(PrivateSession.Daemon)
  case start(PrivateSession.Daemon)
  case freeze(PrivateSession.Daemon)
  case thaw(PrivateSession.Daemon)
  case xruns(count: Int)
  case sleep
  case wake
  case session(isActive: Bool)
  case lock
  case unlock

  /// Every form of a line, for people.
  package static let forms = [
    "plug|unplug|replug laptop|usb|hdmi|bluetooth", "plug|unplug headphones|headset|tv", "profile CARD NAME", "route CARD NAME",
    "rename CARD DESCRIPTION", "stop|start|freeze|thaw pipewire|wireplumber|pulse|bus|systemBus", "xruns COUNT", "sleep", "wake",
    "session active|inactive", "lock", "unlock",
  ]

  /// - Throws: `SessionError` that names the line, and every valid form.
  package init(_ line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    guard let incident = Self.read(words) else {
      throw SessionError(
        .invalidRequest, "'\(line)' is nothing that can happen", remedy: "there is: \(Self.forms.joined(separator: "; "))")
    }
    self = incident
  }

  /// The incident as a line of a script.
  package var line: String {
    switch self {
    case .plug(let card): "plug \(card.rawValue)"
    case .unplug(let card): "unplug \(card.rawValue)"
    case .replug(let card): "replug \(card.rawValue)"
    case .jack(let jack, let isPlugged): "\(isPlugged ? "plug" : "unplug") \(jack.rawValue)"
    case .profile(let card, let name): "profile \(card.rawValue) \(name)"
    case .route(let card, let name): "route \(card.rawValue) \(name)"
    case .rename(let card, let description): "rename \(card.rawValue) \(description)"
    case .stop(let daemon): "stop \(daemon)"
    case .start(let daemon): "start \(daemon)"
    case .freeze(let daemon): "freeze \(daemon)"
    case .thaw(let daemon): "thaw \(daemon)"
    case .xruns(let count): "xruns \(count)"
    case .sleep: "sleep"
    case .wake: "wake"
    case .session(let isActive): "session \(isActive ? "active" : "inactive")"
    case .lock: "lock"
    case .unlock: "unlock"
    }
  }

  private static func read(_ words: [String]) -> Incident? {
    let argument = words.count > 1 ? words[1] : ""
    let rest = words.dropFirst(2).joined(separator: " ")
    let card = DeskCard.Kind(rawValue: argument)
    switch words.first {
    case "profile" where words.count == 3: return card.map { .profile($0, name: rest) }
    case "route" where words.count == 3: return card.map { .route($0, name: rest) }
    case "rename" where words.count >= 3: return card.map { .rename($0, description: rest) }
    default: break
    }
    let daemon = PrivateSession.Daemon.allCases.first { "\($0)" == argument }
    let jack = DeskJack(rawValue: argument)
    switch (words.first, words.count) {
    case ("plug", 2): return card.map { .plug($0) } ?? jack.map { .jack($0, isPlugged: true) }
    case ("unplug", 2): return card.map { .unplug($0) } ?? jack.map { .jack($0, isPlugged: false) }
    case ("replug", 2): return card.map { .replug($0) }
    case ("stop", 2): return daemon.map { .stop($0) }
    case ("start", 2): return daemon.map { .start($0) }
    case ("freeze", 2): return daemon.map { .freeze($0) }
    case ("thaw", 2): return daemon.map { .thaw($0) }
    case ("xruns", 2): return Int(argument).flatMap { (1...1_000).contains($0) ? .xruns(count: $0) : nil }
    case ("sleep", 1): return .sleep
    case ("wake", 1): return .wake
    case ("session", 2): return ["active": .session(isActive: true), "inactive": .session(isActive: false)][argument]
    case ("lock", 1): return .lock
    case ("unlock", 1): return .unlock
    default: return nil
    }
  }
}

extension PrivateSession {
  /// Carries out an incident. Returns when it has begun; `freeze` and `stop` last until `thaw` and `start`.
  /// - Throws: `SessionError` if the session has no desk or login manager, or the desk has no such card or jack.
  package func perform(_ incident: Incident) throws {
    switch incident {
    case .plug(let card): try needsDesk().plug(card)
    case .unplug(let card): try needsDesk().unplug(card)
    case .replug(let card): try needsDesk().replug(card)
    case .jack(let jack, let isPlugged): try needsDesk().set(jack, isPlugged: isPlugged)
    case .profile(let card, let name): try needsDesk().select(profile: name, of: card)
    case .route(let card, let name): try needsDesk().select(route: name, of: card)
    case .rename(let card, let description): try needsDesk().rename(card, to: description)
    case .stop(let daemon): stop(daemon)
    case .start(let daemon): try start(with: daemon)
    case .freeze(let daemon): freeze(daemon)
    case .thaw(let daemon): thaw(daemon)
    case .xruns(let count): stormOfXruns(count: count)
    case .sleep: try needsLoginManager().prepareForSleep(true)
    case .wake: try needsLoginManager().prepareForSleep(false)
    case .session(let isActive): try needsLoginManager().setActive(isActive)
    case .lock: try needsLoginManager().setLocked(true)
    case .unlock: try needsLoginManager().setLocked(false)
    }
  }

  private func needsDesk() throws -> Desk {
    if let desk { return desk }
    throw SessionError(.invalidRequest, "the session has no desk", remedy: "make it with SessionConfiguration.desk")
  }

  private func needsLoginManager() throws -> LoginManager {
    if let loginManager { return loginManager }
    throw SessionError(
      .invalidRequest, "the session has no login manager", remedy: "make it with SessionConfiguration.hasLoginManager")
  }
}
