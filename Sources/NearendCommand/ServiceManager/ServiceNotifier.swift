import Border
import Dispatch
import Foundation
import Nearend
import SessionModel
import Synchronization

/// Tells the service manager (`Type=notify`) that nearend runs, what its session does, and that its control thread answers. [any]
final class ServiceNotifier: Sendable {
  private let socket: NotifySocket
  /// Seconds between signs of life; nil where the service manager waits for none.
  private let interval: Double?
  private let queue = DispatchQueue(label: "nearend.notify")
  private struct State {
    var subscription: EventBus.Subscription?
    var status = ""
    var isQueued = false
  }
  private let state = Mutex(State())

  /// nil where no service manager wants to be told.
  init?(_ environment: [String: String]) {
    guard let name = environment["NOTIFY_SOCKET"], let socket = NotifySocket(name) else { return nil }
    self.socket = socket
    interval = Self.interval(environment)
  }

  /// Half of what the service manager waits for a sign of life, in seconds; nil where it waits for none of this process.
  private static func interval(_ environment: [String: String]) -> Double? {
    guard let microseconds = environment["WATCHDOG_USEC"].flatMap(Double.init), microseconds > 0 else { return nil }
    if let pid = environment["WATCHDOG_PID"], pid != "\(getpid())" { return nil }
    return microseconds / 2e6
  }

  /// Programs that this one starts are not the service. Once, while there is one thread.
  static func clearEnvironment() { for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) } }

  /// `service` runs: says so, and from here on tells what changes.
  func ready(_ service: NearendService) {
    let status = service.snapshot().serviceStatus
    state.withLock { $0.status = status }
    socket.send("READY=1", "STATUS=\(status)")
    let subscription = service.events.subscribe { [weak self, weak service] _ in self?.tell(service) }
    state.withLock { $0.subscription = subscription }
    // What happened in between.
    tell(service)
    guard let interval else { return }
    socket.send("WATCHDOG=1")
    // On the control thread itself: one that hangs sends nothing.
    service.beat(every: interval) { [socket] in socket.send("WATCHDOG=1") }
  }

  /// It is about to stop.
  func stopping() {
    state.withLock { $0.subscription = nil }
    socket.send("STOPPING=1", "STATUS=stopping")
  }

  /// Events come from threads that may not wait, and many at once.
  private func tell(_ service: NearendService?) {
    let isFirst = state.withLock { state in
      defer { state.isQueued = true }
      return !state.isQueued
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + Self.gathering) { [self, weak service] in
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

  /// Seconds in which events become one status.
  private static let gathering = 0.05
}

extension Snapshot {
  /// The session in one line, for `systemctl status`.
  var serviceStatus: String {
    var words = [session.interruption.map { "interrupted: \(StatusText.words($0.reason))" } ?? session.state.rawValue]
    if session.isMicrophoneMuted { words.append("microphone muted") }
    if !session.sendMedia.isEmpty { words.append("recording: \(session.sendMedia.joined(separator: ", "))") }
    if !session.receiveMedia.isEmpty { words.append("playing: \(session.receiveMedia.joined(separator: ", "))") }
    if session.interruption?.reason != .daemonLost {
      words.append("\(route.microphone?.name ?? "no microphone") → nearend → \(route.speaker?.name ?? "no speaker")")
    }
    return words.joined(separator: "; ").printable(atMost: String.longestRemark)
  }
}
