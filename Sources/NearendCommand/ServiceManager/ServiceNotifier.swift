import Border
import Foundation
import Nearend
import Platform
import SessionModel
import Synchronization

/// Notifies the service manager (`Type=notify`) that nearend runs, what its session does, and that its control thread responds. [any]
final class ServiceNotifier: Sendable {
  private let socket: NotifySocket
  /// Seconds between watchdog notifications; nil if the service manager expects none.
  private let interval: Double?
  private let thread = SerialThread(name: "nearend.notify")
  private struct State {
    var subscription: EventBus.Subscription?
    var status = ""
    var isQueued = false
  }
  private let state = Mutex(State())

  /// Returns nil without a service manager to notify.
  init?(_ environment: [String: String]) {
    guard let name = environment["NOTIFY_SOCKET"], let socket = NotifySocket(name) else { return nil }
    self.socket = socket
    interval = Self.interval(environment)
  }

  /// Returns half of the watchdog's timeout in seconds; nil if the service manager does not watch this process.
  private static func interval(_ environment: [String: String]) -> Double? {
    guard let microseconds = environment["WATCHDOG_USEC"].flatMap(Double.init), microseconds > 0 else { return nil }
    if let pid = environment["WATCHDOG_PID"], pid != "\(getpid())" { return nil }
    return microseconds / 2e6
  }

  /// Clears the variables, because programs that this one starts are not the service. Call it once, while there is one thread.
  static func clearEnvironment() { for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) } }

  /// Notifies that `service` runs, and from here on of changes.
  func ready(_ service: NearendService) {
    let status = service.snapshot().serviceStatus
    state.withLock { $0.status = status }
    socket.send("READY=1", "STATUS=\(status)")
    let subscription = service.events.subscribe { [weak self, weak service] in if case .event = $0 { self?.notifySoon(service) } }
    state.withLock { $0.subscription = subscription }
    // Covers changes in between.
    notifySoon(service)
    guard let interval else { return }
    socket.send("WATCHDOG=1")
    // On the control thread itself: if it hangs, nothing is sent.
    service.startHeartbeat(every: interval) { [socket] in socket.send("WATCHDOG=1") }
  }

  /// Notifies that the service is about to stop.
  func stopping() {
    state.withLock { $0.subscription = nil }
    socket.send("STOPPING=1", "STATUS=stopping")
  }

  /// Queues one notification for many events, which come from threads that must not block.
  private func notifySoon(_ service: NearendService?) {
    let isFirst = state.withLock { state in
      defer { state.isQueued = true }
      return !state.isQueued
    }
    guard isFirst else { return }
    thread.async(after: Self.gathering) { [self, weak service] in
      state.withLock { $0.isQueued = false }
      guard let service else { return }
      let status = service.snapshot().serviceStatus
      let isNews = state.withLock { state in
        guard state.subscription != nil, state.status != status else { return false }
        state.status = status
        return true
      }
      if isNews { socket.send("STATUS=\(status)") }
    }
  }

  /// Seconds for which events are collected into one status.
  private static let gathering = 0.05
}

extension Snapshot {
  /// The session in one line, for `systemctl status`.
  var serviceStatus: String {
    var words = [session.interruption.map { "interrupted: \($0.reason.words)" } ?? session.state.rawValue]
    if session.isMicrophoneMuted { words.append("microphone muted") }
    if !session.sendMedia.isEmpty { words.append("recording: \(session.sendMedia.joined(separator: ", "))") }
    if !session.receiveMedia.isEmpty { words.append("playing: \(session.receiveMedia.joined(separator: ", "))") }
    if session.interruption?.reason != .daemonLost {
      words.append("\(route.microphone?.name ?? "no microphone") → nearend → \(route.speaker?.name ?? "no speaker")")
    }
    return words.joined(separator: "; ").printable(atMost: String.longestRemark)
  }
}
