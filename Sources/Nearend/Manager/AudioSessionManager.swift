import Dispatch
import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization

/// The owner of the process's voice processing: one filter node, one echo canceller that hears everything (L1).
///
/// LiveSwitch: `FMLiveSwitchCocoaAudioSessionManager`. Call `registerMedia`, then `registerMicrophoneInput` or `registerSpeakerOutput`,
/// then `unregisterMedia`; the first registration starts the session, the last unregistration hands everything back.
///
///     registerMedia ──▶ lifecycle ──▶ NearendService ──▶ graph                      (mode own)
///                                 └─▶ JoinedSession ──▶ the nearend that runs       (mode joined)
///     settings, call manager ──▶ the session that is driven, or the one kept between two
///
/// Every call is safe from any thread (L8) except the audio thread: a microphone callback must call nothing here. None blocks the audio
/// thread.
public final class AudioSessionManager: Sendable {
  /// The shared manager, created on first use and never released. LiveSwitch: `sharedInstance`.
  public static let shared = AudioSessionManager()

  /// The current session: driven by a service of this process, by a joined nearend, or, between two sessions, by neither.
  struct Current {
    var driven: (any DrivenSession)?
    var configuration = AudioSessionConfiguration()
    /// The session while there is no service.
    var session = SessionState()
    /// Settings changed without a service, or kept from the last one.
    var settings: [Setting: EventValue] = [:]
    /// Those that the program has changed since the last session: a joined nearend is asked for these only.
    var changed: Set<Setting> = []
    /// A Boolean value indicating manual rendering: the program's own calls are the sessions' graph (S9).
    var rendersManually = false

    func value(of setting: Setting) -> EventValue {
      if setting == .echoCanceller, settings[.echoCancellation] == .bool(false) { return .string(EchoCanceller.off.rawValue) }
      return settings[setting] ?? configured(setting) ?? setting.standard
    }

    private func configured(_ setting: Setting) -> EventValue? {
      switch setting {
      case .microphone: configuration.microphone.map { .string($0) }
      case .speaker: configuration.speaker.map { .string($0) }
      default: configuration.settings[setting]
      }
    }

    /// Keeps the canceller's engine and its switch separately, so that in the next session, too, on means the engine chosen last.
    mutating func keep(_ value: EventValue, of setting: Setting) {
      changed.insert(setting)
      guard setting == .echoCanceller else { return settings[setting] = value }
      let isOn = value != .string(EchoCanceller.off.rawValue)
      settings[.echoCancellation] = .bool(isOn)
      if isOn { settings[.echoCanceller] = value }
    }
  }
  /// Held only briefly, so that writers of PCM find their sink at once.
  let current = Mutex(Current())
  /// Serializes starting and stopping. Taken before `changing`, which is taken before `current`; the graph's control thread takes none of
  /// them.
  private let lifecycle = Mutex(())
  /// Serializes changes of the session or a setting, so that none is lost between two services.
  let changing = Mutex(())

  let log: EventLog
  let bus = EventBus()
  let observers = ObserverList()
  let hooks = EngineHooks()
  private let outlet: LogOutlet
  private let makeGraph: @Sendable (AudioCore, GraphOptions, any GraphListener) -> any SessionGraph
  private let subscription = Mutex<EventBus.Subscription?>(nil)
  private let stopping = DispatchQueue(label: "nearend.session.stop")

  private convenience init() { self.init { GraphController(core: $0, options: $1, listener: $2) } }

  /// Creates a manager whose sessions use the graphs that `makeGraph` creates.
  init(makeGraph: @escaping @Sendable (AudioCore, GraphOptions, any GraphListener) -> any SessionGraph) {
    self.makeGraph = makeGraph
    let outlet = LogOutlet()
    self.outlet = outlet
    log = EventLog { outlet.tell($0) }
    let received = bus.subscribe { [weak self] in self?.received($0) }
    subscription.withLock { $0 = received }
    hooks.set([audioSession, mixer])
  }

  deinit { driven?.stop() }

  var driven: (any DrivenSession)? { current.withLock { $0.driven } }
  /// The session of this process, if it is driven.
  var service: NearendService? { driven as? NearendService }

  /// Whether the session is this process's own or that of a nearend that was already running; nil without a session. [any]
  ///
  /// With `configuration.controlSocket` set, and a nearend of the same user answering there, the first registration joins it, so that one
  /// canceller hears everything. Joining adds up to 2 ms to the voice, the polling interval of the host's relay, and in both directions the
  /// delay of a socket and of waking a thread, which grows on a busy machine; rings keep their size and target. See <doc:Joining>.
  public var mode: SessionMode? { driven?.mode }

  // MARK: Media

  /// Registers media that sends (takes the microphone) or receives (is played). The first starts the session; a concurrent registration
  /// waits for that. Ignored with neither send nor receive, or for a registered id. In manual mode node and devices exist from here on, and
  /// no real device is linked to them before the call manager's activation.
  /// - Throws: why the session cannot start, or an engine observer's veto; the media is not registered then, and nothing is left behind.
  ///
  /// LiveSwitch: `registerMediaWithMediaId:isSend:isReceive:` (L2). Waits for the daemon's answer.
  public func registerMedia(id: String, isSend: Bool, isReceive: Bool) throws(GraphError) {
    _ = try register(id: id, isSend: isSend, isReceive: isReceive)
  }

  /// As `registerMedia`; returns whether the media is registered by this call.
  func register(id: String, isSend: Bool, isReceive: Bool) throws(GraphError) -> Bool {
    guard isSend || isReceive else { return false }
    return try lifecycle.withLock { _ throws(GraphError) in
      // Registering the same media again is ignored.
      guard session.program(id) == nil else { return false }
      var use = hooks.use
      use.isPlayoutEnabled = use.isPlayoutEnabled || isReceive
      use.isRecordingEnabled = use.isRecordingEnabled || isSend
      let driven = try runningSession(use)
      driven.send(.registerMedia(id: id, isSend: isSend, isReceive: isReceive))
      return true
    }
  }

  /// Unregisters media with its microphone input and its speaker output. The last of any owner (applications that use nearend's devices
  /// count, L3) stops the session and hands everything back, unless `isAutomaticDeactivationEnabled` is false. Ignored for an unknown id.
  ///
  /// LiveSwitch: `unregisterMediaWithMediaId:` (L2).
  public func unregisterMedia(id: String) {
    lifecycle.withLock { _ in
      driven?.send(.unregisterMedia(id: id))
      leaveWhatIsUnused()
    }
  }

  /// Ends the session at once: all media is unregistered, and applications lose the devices. Settings are kept. Ignored without a session.
  public func shutDown() {
    lifecycle.withLock { _ in
      guard let driven else { return }
      driven.end()
      for media in driven.state.media where media.owner == .program { driven.send(.unregisterMedia(id: media.id)) }
      stop(driven)
    }
  }

  /// Locked while a session exists: a set is then ignored and logs a warning.
  public var configuration: AudioSessionConfiguration {
    get { current.withLock { $0.configuration } }
    set {
      guard !configure(newValue) else { return }
      log.add(.warning, "configuration has no effect while a session exists; set it before the first registration")
    }
  }

  /// Sets the configuration; returns false, with nothing changed, while a session exists.
  func configure(_ new: AudioSessionConfiguration) -> Bool {
    let isLocked = changing.withLock { _ in
      current.withLock { current in
        guard current.driven == nil else { return true }
        current.configuration = new
        // The latest configuration takes precedence over what was set in an earlier session.
        for setting in [Setting.microphone, .speaker, .reference, .defaultDevices, .pauseOnUnplug] { current.settings[setting] = nil }
        return false
      }
    }
    if !isLocked { outlet.set(new.log) }
    return !isLocked
  }

  // MARK: Start and stop

  /// Starts the session if it is to be kept prepared and none runs (S8).
  func prepareRecording(_ on: Bool) throws(GraphError) {
    try lifecycle.withLock { _ throws(GraphError) in
      if on {
        var use = hooks.use
        use.isRecordingEnabled = true
        _ = try runningSession(use)
      }
      set(.recordingAlwaysPrepared, to: .bool(on))
      leaveWhatIsUnused()
    }
  }

  /// Returns the session, with its engine enabled for the given use.
  private func runningSession(_ asked: EngineUse) throws(GraphError) -> any DrivenSession {
    var use = asked
    // Settings outlive the session: it may begin prepared.
    use.isRecordingEnabled = use.isRecordingEnabled || isRecordingAlwaysPreparedMode
    do throws(EngineVeto) {
      if let driven {
        // Applications, which observers do not see, may have kept it.
        try hooks.enable(use)
        return driven
      }
    } catch {
      throw .vetoed(error)
    }
    if let joined = try joinedSession(use) { return joined }
    do throws(GraphError) {
      return try begin(try makeService(), use)
    } catch .alreadyRunning(let pid) {
      // A nearend has started meanwhile, and may be about to open its socket.
      guard let joined = try joinedSession(use, patience: Self.joinPatience) else { throw .alreadyRunning(pid: pid) }
      return joined
    }
  }

  /// Seconds to wait for a nearend in the graph to open its socket.
  private static let joinPatience = 0.5

  /// Joins the running nearend; nil if none answers, or if joining is disabled.
  private func joinedSession(_ use: EngineUse, patience: Double = 0) throws(GraphError) -> (any DrivenSession)? {
    let (configuration, rendersManually) = current.withLock { ($0.configuration, $0.rendersManually) }
    guard !rendersManually, let path = configuration.controlSocket else { return nil }
    guard let host = try HostLink.open(path, patience: patience) else { return nil }
    return try begin(JoinedSession(host, log: log, events: bus), use)
  }

  private func begin(_ driven: any DrivenSession, _ use: EngineUse) throws(GraphError) -> any DrivenSession {
    driven.enableAppAudio(hooks.hasMixer)
    let changed = changing.withLock { _ in
      let (settings, changed) = current.withLock { current in
        driven.resume(current.session)
        return (current.settings, current.changed)
      }
      driven.begin(with: settings, changed: changed)
      current.withLock { $0.driven = driven }
      return changed
    }
    do throws(GraphError) {
      try start(driven, use)
    } catch {
      leave(driven)
      current.withLock { $0.changed = changed }
      throw error
    }
    return driven
  }

  private func makeService() throws(GraphError) -> NearendService {
    let (configuration, rendersManually) = current.withLock { ($0.configuration, $0.rendersManually) }
    var options = configuration.options
    guard rendersManually else { return try NearendService(options, log: log, events: bus, makeGraph: makeGraph) }
    options.controlSocket = nil
    return try NearendService(options, log: log, events: bus) { core, _, listener in ManualGraph(core: core, listener: listener) }
  }

  /// Takes each step in turn; if one fails, those before it are undone.
  private func start(_ driven: any DrivenSession, _ use: EngineUse) throws(GraphError) {
    do throws(EngineVeto) {
      try hooks.create(driven.engine)
      try hooks.enable(use)
      try hooks.start()
    } catch {
      hooks.release()
      driven.stop()
      throw .vetoed(error)
    }
    do throws(GraphError) {
      try driven.start()
    } catch {
      hooks.stopped()
      hooks.release()
      throw error
    }
  }

  /// Stops the session if nothing needs it, or disables an unused direction. Call it with the lifecycle's lock held.
  private func leaveWhatIsUnused() {
    guard let driven else { return }
    // Atomically: applications and the control socket's clients may come at any time, and must not join a session that ends.
    guard !driven.endIfUnused() else { return stop(driven) }
    hooks.disable(to: EngineUse(driven.state))
  }

  private func stop(_ driven: any DrivenSession) {
    leave(driven)
    driven.stop()
    // Applications lose their devices.
    driven.send(.applications([]))
    hooks.stopped()
    hooks.release()
  }

  /// Saves what outlasts the session; the manager no longer drives it afterwards.
  private func leave(_ driven: any DrivenSession) {
    changing.withLock { _ in
      let settings = driven.settingsToKeep
      current.withLock { current in
        current.session = driven.state.atRest
        current.settings = settings
        current.changed = []
        current.driven = nil
      }
    }
  }

  func stopSoonWhereUnused() {
    stopping.async { [weak self] in self?.stopNowWhereUnused() }
  }

  /// Stops the session after a change that may have removed its last use.
  func stopNowWhereUnused() {
    // A hook may change a setting, but the session cannot end during the hook.
    if hooks.isCalling { return stopSoonWhereUnused() }
    lifecycle.withLock { _ in leaveWhatIsUnused() }
  }

  private func received(_ event: AudioEvent) {
    observers.tell(event, from: self)
    // Another program may have ended prepared recording.
    let isPreparation = event.kind == .settingChanged && event.detail["setting"] == .string(Setting.recordingAlwaysPrepared.rawValue)
    // The event may come from the graph's control thread, which must not wait for its own end.
    if event.kind == .mediaUnregistered || isPreparation { stopSoonWhereUnused() }
  }
}
