import DashboardTerminal
import DashboardView
import Foundation
import Nearend
import SimulatedHardware
import Synchronization

/// The desk of a rehearsal: carries out what keys and a script do to it, and logs it. [any]
final class RehearsedDesk: Sendable {
  /// The cards on it at the beginning.
  static let cards: [DeskCard.Kind] = [.laptop, .hdmi]

  private let session: PrivateSession
  private let service: NearendService
  private struct State {
    var jacks: Set<DeskJack> = []
    var isAsleep = false
    var isAway = false
    var isOver = false
  }
  private let state = Mutex(State())

  /// The two states between which a key switches.
  private enum Switch {
    case card(DeskCard.Kind), jack(DeskJack), sleep, seat
  }
  private static let keys: [Unicode.Scalar: Switch] = [
    "P": .jack(.headphones), "U": .card(.usb), "W": .card(.bluetooth), "T": .jack(.television), "Z": .sleep, "S": .seat,
  ]
  private static let meaning = "desk: headphones, USB, wireless headset, TV, sleep, seat"

  init(session: PrivateSession, service: NearendService) {
    self.session = session
    self.service = service
  }

  /// The keys for the dashboard.
  var extraKeys: ExtraKeys { ExtraKeys(label: "P U W T Z S", meaning: Self.meaning) { [self] key in press(key) } }

  /// Runs a script from `epoch` on, in seconds of CLOCK_MONOTONIC.
  func run(_ script: IncidentScript, epoch: Double) {
    script.run(in: session, epoch: epoch) { [self] in
      state.withLock { $0.isOver }
    } told: { [self] incident, error in
      note(incident, error)
    }
  }

  /// Stops all incidents.
  func end() { state.withLock { $0.isOver = true } }

  /// Returns a remark for the footer; nil if the key is not used here.
  private func press(_ key: Key) -> String? {
    guard case .character(let scalar) = key, let pressed = Self.keys[scalar] else { return nil }
    let incident = incident(of: pressed)
    do {
      try session.perform(incident)
      note(incident, nil)
      return "Desk: \(incident.line)"
    } catch {
      return "Desk: \(incident.line) is not possible: \(error)"
    }
  }

  private func incident(of pressed: Switch) -> Incident {
    switch pressed {
    case .card(let kind): return session.desk?.card(kind) == nil ? .plug(kind) : .unplug(kind)
    case .jack(let jack): return .jack(jack, isPlugged: !state.withLock { $0.jacks.contains(jack) })
    case .sleep: return state.withLock { $0.isAsleep } ? .wake : .sleep
    case .seat: return .session(isActive: state.withLock { $0.isAway })
    }
  }

  /// Logs an incident, and remembers its state for keys and script.
  private func note(_ incident: Incident, _ error: SessionError?) {
    if let error { return service.remark("desk: \(incident.line) is not possible: \(error)") }
    service.remark("desk: \(incident.line)")
    state.withLock { state in
      switch incident {
      case .jack(let jack, true): state.jacks.insert(jack)
      case .jack(let jack, false): state.jacks.remove(jack)
      case .sleep: state.isAsleep = true
      case .wake: state.isAsleep = false
      case .session(let isActive): state.isAway = !isActive
      default: break
      }
    }
  }
}
