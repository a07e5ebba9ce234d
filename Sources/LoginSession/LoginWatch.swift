import Glibc
internal import MessageBus
import PipeWireClient

/// Watches the login manager: whether the machine is about to sleep, which is delayed until nearend has stopped, and whether its login
/// session has the seat (I1).
///
/// Without a system bus, or a login manager on it, it makes one remark and does nothing else. [control]
package final class LoginWatch {
  /// A fact reported by the login manager, or a remark, delivered on the loop's thread. [control]
  package enum Event: Sendable, Equatable {
    /// True: the machine is about to sleep, once `maySleep` is called. False: it has woken up.
    case sleep(Bool)
    /// Whether nearend's login session is in the foreground. First reported once it is known.
    case active(Bool)
    /// A message for people.
    case remark(String)
  }
  private let loop: ThreadLoop
  private let address: Bus.Address
  private let handler: (Event) -> Void
  private var bus: Bus?
  private var retry: LoopTimer?
  private var deadline: LoopTimer?

  /// The unique name of the login manager, which alone is believed: anybody may send its signals to this connection; nil before it has
  /// answered.
  private var manager: String?
  /// Path of nearend's login session; nil if it belongs to none.
  private var session: String?
  private var isAsleep = false
  private var isActive: Bool?
  /// The delay inhibitor: while it is open the machine does not sleep, for as long as the login manager allows.
  private var inhibitor: Int32?
  private var hasAnswered = false
  private var hasRemarked = false

  /// Seconds between attempts to reconnect to the bus.
  private static let retryInterval = 1.0
  /// Seconds after which the machine may sleep even if `maySleep` was not called; the login manager waits 5 s.
  private static let longestDelay = 3.0

  /// Connects; results are reported on the loop's thread. Call it with the loop's lock held.
  package init(_ address: SystemBusAddress, loop: ThreadLoop, handler: @escaping (Event) -> Void) {
    self.loop = loop
    self.address = address.bus ?? .system
    self.handler = handler
    if address == .none { return }
    retry = LoopTimer(loop: loop)
    deadline = LoopTimer(loop: loop)
    retry?.connect(to: self) { $0.connect() }
    deadline?.connect(to: self) { $0.giveUp() }
    connect()
  }

  deinit {
    retry?.cancel()
    deadline?.cancel()
    bus = nil
    release()
  }

  /// Whether sleep is being delayed: from `.sleep(true)` until `maySleep`.
  private var isSleepHeldUp: Bool { isAsleep && inhibitor != nil }

  /// Lets a machine that is about to sleep do so, because nearend uses no device.
  package func maySleep() {
    guard isAsleep else { return }
    deadline?.pause()
    release()
  }

  private func giveUp() {
    guard isSleepHeldUp else { return }
    handler(.remark("the devices were not released within \(Int(Self.longestDelay)) s; allowing sleep anyway"))
    maySleep()
  }

  // MARK: The bus

  private func connect() {
    (bus, manager) = (nil, nil)
    do throws(Bus.Failure) {
      bus = try Bus(address, loop: loop) { [weak self] in self?.lost($0) }
    } catch {
      if hasAnswered { retry?.schedule(after: Self.retryInterval) } else { remark(error.description) }
      return
    }
    let from = "type='signal',sender='\(LoginNames.service)'"
    bus?.listen("\(from),path='\(LoginNames.path)',interface='\(LoginNames.manager)',member='PrepareForSleep'") { [weak self] in
      if let self, $0.sender == manager, let isGoing = $0.readFlag() { sleep(isGoing) }
    }
    bus?.listen("\(from),path_namespace='\(LoginNames.path)/session',interface='\(LoginNames.properties)',member='PropertiesChanged'") {
      [weak self] in
      if let self, $0.sender == manager, $0.path == session { queryActive() }
    }
    // Where the login manager started or restarted, its earlier state no longer applies.
    bus?.watch(name: LoginNames.service) { [weak self] owner in
      self?.manager = owner
      if owner != nil { self?.queryPreparingForSleep() }
    }
    queryPreparingForSleep()
  }

  private func lost(_ failure: Bus.Failure) {
    // Without the bus: running means awake, and nothing says that another session has the seat.
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
    handler(.remark("no login manager (\(reason)): sleep and changes of the login session are not detected"))
  }

  // MARK: Queries

  private func queryPreparingForSleep() {
    bus?.call(LoginNames.service, LoginNames.path, LoginNames.properties, "Get") {
      $0.append(LoginNames.manager)
      $0.append("PreparingForSleep")
    } answered: { [weak self] answer in
      guard let self else { return }
      if let failure = answer.failure { return remark(failure) }
      hasAnswered = true
      manager = answer.sender
      sleep(answer.readVariantFlag() ?? false)
      if !isAsleep { inhibit() }
      findSession()
    }
  }

  /// Finds nearend's own login session or, for a user service, the one at which the user sits.
  private func findSession() {
    bus?.call(LoginNames.service, LoginNames.path, LoginNames.manager, "GetSession") {
      $0.append("auto")
    } answered: { [weak self] answer in
      guard let self else { return }
      if answer.failure == nil { return sessionFound(answer.readText("o")) }
      // "auto" came with systemd 243.
      bus?.call(LoginNames.service, LoginNames.path, LoginNames.manager, "GetSessionByPID") {
        $0.append(UInt32(getpid()))
      } answered: { [weak self] answer in
        self?.sessionFound(answer.failure == nil ? answer.readText("o") : nil)
      }
    }
  }

  private func sessionFound(_ path: String?) {
    session = path
    // A service without a session, or an account without one, is never in the background.
    if path == nil { setActive(true) } else { queryActive() }
  }

  private func queryActive() {
    guard let session else { return }
    bus?.call(LoginNames.service, session, LoginNames.properties, "Get") {
      $0.append(LoginNames.session)
      $0.append("Active")
    } answered: { [weak self] answer in
      if let isActive = answer.readVariantFlag() { self?.setActive(isActive) }
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
    bus?.call(LoginNames.service, LoginNames.path, LoginNames.manager, "Inhibit") {
      for text in ["sleep", "nearend", "releases microphone and speaker", "delay"] { $0.append(text) }
    } answered: { [weak self] answer in
      // The inhibitor may be refused, and is useless once the machine sleeps.
      guard let self, !isAsleep, let descriptor = answer.readDescriptor() else { return }
      release()
      inhibitor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    }
  }

  private func release() {
    if let inhibitor, inhibitor >= 0 { close(inhibitor) }
    inhibitor = nil
  }
}
