import DashboardTerminal
import DashboardView
import PipeWireGraph
import Platform
import Synchronization

/// The way out of a rehearsal that was not requested: watches for a daemon with a real device, and offers a key that switches to it. [any]
final class DaemonArrival: Sendable {
  private static let key = Key.character("G")
  /// Seconds between checks.
  private static let interval = 2.0

  private struct State {
    var isHere = false
    var isChosen = false
    var isOver = false
  }
  private let state = Mutex(State())
  private let stop: StopRequest

  /// - Parameter stop: ends the rehearsal.
  init(stop: StopRequest) { self.stop = stop }

  /// Checks until `end`, on a thread of its own, and calls `remark` once, when a device is there.
  func watch(_ remark: @escaping @Sendable (_ remark: String) -> Void) {
    startThread(name: "daemon-watch") { [self] in
      while !state.withLock({ $0.isOver }) {
        if let device = (try? GraphInspection.devices())?.first {
          let isNews = state.withLock {
            $0.isHere = true
            return !$0.isOver
          }
          if isNews { remark("a PipeWire daemon is now available (G leaves the rehearsal for it): \(device.description)") }
          return
        }
        pause(seconds: Self.interval)
      }
    }
  }

  func end() { state.withLock { $0.isOver = true } }

  /// Whether the key has ended the rehearsal.
  var isChosen: Bool { state.withLock { $0.isChosen } }

  /// The key for the dashboard.
  var extraKeys: ExtraKeys {
    ExtraKeys(label: "G", meaning: "leave the rehearsal for the real daemon") { [self] key in
      guard key == Self.key else { return nil }
      let isHere = state.withLock {
        $0.isChosen = $0.isHere
        return $0.isHere
      }
      guard isHere else { return "No PipeWire daemon with a real device is there yet" }
      stop.request()
      return "Going over to the daemon"
    }
  }
}
