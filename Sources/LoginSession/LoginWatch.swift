import Glibc
import PipeWireClient

/// What the login manager tells: that the machine is about to sleep, which waits until we have stopped, and whether our login session has
/// the seat (I1).
///
/// Where there is no system bus, or no login manager on it, one remark says so, and nothing else happens. [control]
public final class LoginWatch {
  public enum Event: Sendable, Equatable {
    /// The machine is about to sleep: `maySleep` lets it; or it has woken up.
    case sleep(Bool)
    /// Whether our login session is the one in front. The first comes once it is known.
    case active(Bool)
    /// Something worth telling people.
    case remark(String)
  }
  private let loop: ThreadLoop
  private let address: SystemBusAddress
  private let handler: (Event) -> Void
  private var bus: SystemBus?
  private var retry: LoopTimer?
  private var deadline: LoopTimer?

  /// Our login session's object; nil where we belong to none.
  private var session: String?
  private var isAsleep = false
  private var isActive: Bool?
  /// The delay inhibitor: the machine does not sleep while it is open, for as long as the login manager allows.
  private var inhibitor: Int32?
  private var hasAnswered = false
  private var hasRemarked = false

  /// Seconds between attempts to reach a bus that went away.
  private static let retryInterval = 1.0
  /// Seconds after which the machine may sleep though nobody has said that we have stopped; the login manager waits for 5 s.
  private static let longestDelay = 3.0

  /// Connects; what comes of it is told on the loop's thread. With the loop's lock held.
  public init(_ address: SystemBusAddress, loop: ThreadLoop, handler: @escaping (Event) -> Void) {
    self.loop = loop
    self.address = address
    self.handler = handler
    guard address != .none else { return }
    retry = LoopTimer(loop: loop) { [unowned self] in connect() }
    deadline = LoopTimer(loop: loop) { [unowned self] in maySleep() }
    connect()
  }

  deinit {
    retry?.cancel()
    deadline?.cancel()
    bus = nil
    release()
  }

  /// True from `.sleep(true)` until `maySleep`.
  public var isSleepHeldUp: Bool { isAsleep && inhibitor != nil }

  /// We have stopped: the machine may sleep as far as we are concerned.
  public func maySleep() {
    guard isAsleep else { return }
    deadline?.pause()
    release()
  }

  // MARK: The bus

  private func connect() {
    bus = nil
    do throws(SystemBus.Failure) {
      bus = try SystemBus(address, loop: loop) { [unowned self] in lost($0) }
    } catch {
      if hasAnswered { retry?.schedule(after: Self.retryInterval) } else { remark(error.description) }
      return
    }
    let from = "type='signal',sender='\(LoginNames.service)'"
    bus?.listen("\(from),path='\(LoginNames.path)',interface='\(LoginNames.manager)',member='PrepareForSleep'") { [unowned self] in
      if let isGoing = $0.readFlag() { sleep(isGoing) }
    }
    bus?.listen("\(from),path_namespace='\(LoginNames.path)/session',interface='\(LoginNames.properties)',member='PropertiesChanged'") {
      [unowned self] in
      if $0.path == session { askWhetherActive() }
    }
    bus?.listen(
      "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',interface='org.freedesktop.DBus',"
        + "member='NameOwnerChanged',arg0='\(LoginNames.service)'"
    ) { [unowned self] message in
      _ = message.readText()
      _ = message.readText()
      // Started, or started anew: what it told before counts no more.
      if message.readText()?.isEmpty == false { ask() }
    }
    ask()
  }

  private func lost(_ failure: SystemBus.Failure) {
    // Whoever runs is awake, and nobody says that another session has the seat.
    sleep(false)
    setActive(true)
    release()
    guard hasAnswered else { return remark(failure.description) }
    handler(.remark("\(failure); waiting for it"))
    retry?.schedule(after: Self.retryInterval)
  }

  private func remark(_ reason: String) {
    guard !hasRemarked else { return }
    hasRemarked = true
    handler(.remark("no login manager is heard (\(reason)): sleep and a change of the login session go unnoticed"))
  }

  // MARK: What is asked

  private func ask() {
    bus?.call(LoginNames.path, LoginNames.properties, "Get") {
      $0.append(LoginNames.manager)
      $0.append("PreparingForSleep")
    } answered: { [unowned self] answer in
      if let failure = answer.failure { return remark(failure) }
      hasAnswered = true
      sleep(answer.readVariantFlag() ?? false)
      if !isAsleep { inhibit() }
      findSession()
    }
  }

  /// Our own session or, for a service of the user's, the one that the user sits at.
  private func findSession() {
    bus?.call(LoginNames.path, LoginNames.manager, "GetSession") {
      $0.append("auto")
    } answered: { [unowned self] answer in
      if answer.failure == nil { return found(answer.readText("o")) }
      // "auto" came with systemd 243.
      bus?.call(LoginNames.path, LoginNames.manager, "GetSessionByPID") {
        $0.append(UInt32(getpid()))
      } answered: { [unowned self] answer in
        found(answer.failure == nil ? answer.readText("o") : nil)
      }
    }
  }

  private func found(_ path: String?) {
    session = path
    // A service of nobody's session, or an account without one, is never in the background.
    if path == nil { setActive(true) } else { askWhetherActive() }
  }

  private func askWhetherActive() {
    guard let session else { return }
    bus?.call(session, LoginNames.properties, "Get") {
      $0.append(LoginNames.session)
      $0.append("Active")
    } answered: { [unowned self] answer in
      if let isActive = answer.readVariantFlag() { setActive(isActive) }
    }
  }

  private func setActive(_ isActive: Bool) {
    guard isActive != self.isActive else { return }
    self.isActive = isActive
    handler(.active(isActive))
  }

  // MARK: Sleep

  private func sleep(_ isGoing: Bool) {
    guard isGoing != isAsleep else { return }
    isAsleep = isGoing
    if isGoing { deadline?.schedule(after: Self.longestDelay) } else { deadline?.pause() }
    handler(.sleep(isGoing))
    if !isGoing { inhibit() }
  }

  private func inhibit() {
    release()
    bus?.call(LoginNames.path, LoginNames.manager, "Inhibit") {
      for text in ["sleep", "nearend", "to let go of microphone and speaker first", "delay"] { $0.append(text) }
    } answered: { [unowned self] answer in
      // It may be refused, and is of no use while it sleeps already.
      guard !isAsleep, let descriptor = answer.readDescriptor() else { return }
      release()
      inhibitor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    }
  }

  private func release() {
    if let inhibitor, inhibitor >= 0 { close(inhibitor) }
    inhibitor = nil
  }
}
