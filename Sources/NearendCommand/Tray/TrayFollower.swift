import ControlClient
import Foundation
import Platform
import Preferences
import SessionModel
import Synchronization
import Tray

/// The tray's icon of a nearend in another process, by its control socket: what it tells is a sign to ask anew. Where none runs, the
/// socket's folder is watched. Nothing polls but once a second while a call runs. [any]
final class TrayFollower: Sendable {
  private struct State {
    var facts = TrayFacts()
    var actions: [TrayAction] = []
    /// Whether the socket's folder has changed.
    var hasNews = true
    var isOver = false
  }
  private let state: Mutex<State>
  private let path: String
  private let environment: [String: String]
  private let close: @Sendable () -> Void
  private let wake: WakeSignal
  private let queue = SerialThread(name: "nearend.tray-files")
  private let icon = Mutex<TrayIcon?>(nil)

  /// Milliseconds between questions while a call runs, and before another attempt where a nearend that is there does not answer.
  private static let interval: (call: Int32, retry: Int32) = (1_000, 5_000)

  /// - Parameters:
  ///   - path: of the control socket.
  ///   - close: called when a person takes the icon away.
  /// - Throws: `SystemError` without two descriptors.
  init(path: String, _ environment: [String: String], close: @escaping @Sendable () -> Void) throws(SystemError) {
    wake = try WakeSignal()
    (self.path, self.environment, self.close) = (path, environment, close)
    var facts = TrayFacts()
    facts.dashboardObstacle = DashboardWindow.obstacle(environment)
    state = Mutex(State(facts: facts))
  }

  func start() {
    let icon = TrayIcon(
      program: DashboardWindow.ownProgram, environment,
      TrayIcon.Subject(
        facts: { [weak self] in self?.state.withLock { $0.facts } ?? TrayFacts() },
        perform: { [weak self] in self?.perform($0) }, remark: { remark($0) }))
    self.icon.withLock { $0 = icon }
    let hasThread = startThread(name: "nearend.follow") { [self] in
      while !state.withLock({ $0.isOver }) { follow(icon) }
    }
    if !hasThread { fail("it cannot start: \(Shortage.threads.advice)", .failure) }
  }

  /// Takes the icon away.
  func stop() {
    state.withLock { $0.isOver = true }
    wake.raise()
    icon.withLock { $0 }?.stop()
  }

  private func perform(_ action: TrayAction) {
    if action == .close { return close() }
    state.withLock { $0.actions.append(action) }
    wake.raise()
  }

  // MARK: The thread that follows

  /// Waits for a nearend, and then follows it to its end.
  private func follow(_ icon: TrayIcon) {
    // Before the first attempt: what comes after it is noticed.
    let watch = FileWatch([path], queue: queue) { [weak self] in
      self?.state.withLock { $0.hasNews = true }
      self?.wake.raise()
    }
    var stream: EventStream?
    var hasAskedSystemd = false
    var patience: Int32 = -1
    while stream == nil, !state.withLock({ $0.isOver }) {
      state.withLock { $0.hasNews = false }
      stream = EventStream(path)
      if stream != nil { break }
      icon.setEnabled(true)
      if !hasAskedSystemd {
        // Without a lock, and with the icon there: it may take its time.
        hasAskedSystemd = true
        let canStart = (try? UserService.find()) != nil
        state.withLock { $0.facts.canStart = canStart }
        icon.somethingChanged()
      }
      // One that is just beginning has made its socket, and does not listen yet.
      patience = FileManager.default.fileExists(atPath: path) && patience == -1 ? Self.interval.retry : -1
      wait(nil, patience) { state.withLock { $0.hasNews } }
    }
    withExtendedLifetime(watch) {}
    guard let stream else { return }
    let client = ControlClient(path: path)
    var hasAnswered = false
    while !state.withLock({ $0.isOver }), ask(client, icon) {
      hasAnswered = true
      for action in takeActions() { carryOut(action, client) }
      if state.withLock({ !$0.actions.isEmpty }) { continue }
      let isInCall = state.withLock { $0.facts.snapshot?.session.state != .idle }
      wait(stream, isInCall ? Self.interval.call : -1) { false }
      if stream.hasEnded { break }
    }
    state.withLock { $0.facts.snapshot = nil }
    icon.somethingChanged()
    // One that hangs up at once, or is of another version, is left alone for a while.
    if !hasAnswered || !stream.hasBegun { wait(nil, Self.interval.retry) { false } }
  }

  /// Waits for news of nearend, for something to do, or for a time in ms; carries out what needs no nearend.
  private func wait(_ stream: EventStream?, _ time: Int32, until isDone: () -> Bool) {
    var waiting = [pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)]
    if let stream { waiting.append(pollfd(fd: stream.descriptor, events: Int16(POLLIN), revents: 0)) }
    while !state.withLock({ $0.isOver }), !isDone() {
      let count = poll(&waiting, nfds_t(waiting.count), time)
      if waiting[0].revents != 0 { wake.lower() }
      stream?.drain()
      if stream != nil { return }
      for action in takeActions() { carryOut(action, nil) }
      if count == 0 { return }
    }
  }

  private func takeActions() -> [TrayAction] {
    state.withLock { state in
      defer { state.actions = [] }
      return state.actions
    }
  }

  /// Returns whether nearend has answered.
  private func ask(_ client: ControlClient, _ icon: TrayIcon) -> Bool {
    guard let snapshot = client.answered(Snapshot.self, "/status"),
      let values = client.answered([String: EventValue].self, "/settings")
    else { return false }
    state.withLock { $0.facts.snapshot = snapshot }
    // One icon is enough: that nearend shows its own.
    icon.setEnabled(values[Setting.tray.rawValue] != .bool(true))
    return true
  }

  /// - Parameter client: of the nearend that runs; nil for none.
  private func carryOut(_ action: TrayAction, _ client: ControlClient?) {
    switch action {
    case .command(let command):
      guard let client else { return }
      do throws(TransferError) {
        let answer = try client.perform(command)
        if let answer, !answer.isSuccess { remark(answer.reason) }
      } catch { remark("\(error)") }
    case .openDashboard: (try? DashboardWindow(environment))?.open(environment) { remark($0) }
    case .startService:
      do throws(UserService.Missing) { if let refusal = try UserService.find().start() { remark(refusal) } } catch { remark(error.reason) }
    case .close: close()
    }
  }
}

/// The stream of a nearend's events, of which only matters that something has happened. Used by one thread.
private final class EventStream {
  let descriptor: Int32
  private(set) var hasEnded = false
  /// Whether nearend has begun to tell.
  var hasBegun: Bool { start.elementsEqual(Self.success) }
  /// The first bytes of the answer.
  private var start: [UInt8] = []
  private static let success = Array("HTTP/1.1 200".utf8)

  /// nil where nobody listens at `path`.
  init?(_ path: String) {
    guard let address = UnixAddress(path: path) else { return nil }
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let question = Array("GET /events HTTP/1.1\r\nHost: nearend\r\n\r\n".utf8)
    guard address.connect(descriptor), send(descriptor, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else {
      Glibc.close(descriptor)
      return nil
    }
  }

  deinit { Glibc.close(descriptor) }

  /// Takes what has come.
  func drain() {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      while true {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
          start += buffer.prefix(min(count, Self.success.count - start.count))
          continue
        }
        hasEnded = hasEnded || count == 0 || (errno != EAGAIN && errno != EINTR)
        return
      }
    }
  }
}
