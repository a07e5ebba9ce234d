import PipeWireGraph
import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// The owner of the process's voice processing: one filter node, one echo canceller that hears everything (L1).
///
///     AudioSession, AudioSessionManager ──▶ SessionOwner ─▶ NearendService ─▶ graph                   (mode own)
///                                                        └▶ JoinedSession ─▶ the nearend that runs    (mode joined)
///
/// Both public faces call it, and a program may use both. Settings go to the session that is driven, or are kept for the next one.
///
/// Every call is safe from any thread (L8). A microphone's callback that makes a change gets it after it has returned, and is refused what
/// would wait. None blocks the audio thread.
final class SessionOwner: Sendable {
  /// The process's owner, created on first use and never released.
  static let shared = SessionOwner { GraphController(core: $0, options: $1, listener: $2) }

  /// The current session: driven by a service of this process, by a joined nearend, or, between two sessions, by neither.
  struct Current {
    var driven: (any DrivenSession)?
    var kept = KeptSettings()
    /// A Boolean value indicating manual rendering: the program's own calls are the sessions' graph (S9).
    var rendersManually = false
  }
  /// Held only briefly, so that writers of PCM find their sink at once.
  let current = Mutex(Current())
  /// Serializes starting and stopping. Taken before `changing`, which is taken before `current`; the graph's control thread takes none of
  /// them.
  let lifecycle = Mutex(())
  /// Serializes changes of the session or a setting, so that none is lost between two services.
  let changing = Mutex(())

  let log: EventLog
  let bus: EventBus
  let hooks = EngineHooks()
  let makeGraph: @Sendable (AudioCore, GraphOptions, any GraphListener) -> any SessionGraph
  private let outlet: LogOutlet
  private let subscription = Mutex<EventBus.Subscription?>(nil)
  private let stopping = SerialThread(name: "nearend.stop")
  /// Changes that a microphone's callback has asked for, one after another.
  private let postponed = SerialThread(name: "nearend.later")

  /// Creates an owner whose sessions use the graphs that `makeGraph` creates, and whose log goes to `outlet`.
  init(
    outlet: LogOutlet = LogOutlet(), makeGraph: @escaping @Sendable (AudioCore, GraphOptions, any GraphListener) -> any SessionGraph
  ) {
    self.makeGraph = makeGraph
    self.outlet = outlet
    bus = EventBus { if case .log(let entry) = $0 { outlet.tell(entry) } }
    log = EventLog(bus)
    let received = bus.subscribe { [weak self] in if case .event(let event) = $0 { self?.received(event) } }
    subscription.withLock { $0 = received }
  }

  deinit { driven?.stop() }

  var driven: (any DrivenSession)? { current.withLock { $0.driven } }
  /// The session of this process, if it is driven.
  var service: NearendService? { driven as? NearendService }
  /// Whether the session is this process's own or a joined one; nil without a session.
  var mode: SessionMode? { driven?.mode }

  // MARK: Configuration

  var configuration: AudioSessionConfiguration { current.withLock { $0.kept.configuration } }

  /// Sets the configuration; returns false, with nothing changed, while a session exists.
  func configure(_ new: AudioSessionConfiguration) -> Bool {
    guard changeWhileAtRest({ $0.kept.configure(new) }) else { return false }
    outlet.set(new.log)
    return true
  }

  /// Makes a change that needs no session to exist; returns false, with nothing changed, while one does.
  func changeWhileAtRest(_ change: (inout Current) -> Void) -> Bool {
    // A session exists, and whoever ends it may hold the lock.
    if SourceTap.isInCallback { return false }
    return changing.withLock { _ in
      current.withLock { current in
        guard current.driven == nil else { return false }
        change(&current)
        return true
      }
    }
  }

  // MARK: Calls from a microphone's callback

  /// Postpones a change that may wait for the microphone's callback to return, if the caller is that callback: it is made soon afterwards,
  /// on another thread. Returns whether it is postponed. Asked before any lock is taken, because whoever holds one may wait for the
  /// callback.
  func isPostponed(_ change: @escaping @Sendable (SessionOwner) -> Void) -> Bool {
    guard SourceTap.isInCallback else { return false }
    postponed.async { [weak self] in if let self { change(self) } }
    return true
  }

  /// The session, for whoever may wait for the graph's control thread; nil in a microphone's callback, for which that thread may wait.
  var waitable: (any DrivenSession)? { SourceTap.isInCallback ? nil : driven }

  /// Why a microphone's callback is refused what would have to wait.
  static let mustNotWait = "a microphone's callback must not wait; ask on another thread"

  // MARK: The session

  /// The current session, with or without a service.
  var session: SessionState {
    let (driven, atRest) = current.withLock { ($0.driven, $0.kept.session) }
    return driven?.state ?? atRest
  }

  /// Sends an event to the session, with or without a service. Returns the reason if it is refused, as far as it is made at once.
  @discardableResult
  func send(_ event: SessionEvent) -> SessionRefusal? {
    if isPostponed({ $0.send(event) }) { return nil }
    return changing.withLock { _ in
      if let driven { return driven.send(event) }
      let effects = current.withLock { current in
        let (next, effects) = reduce(current.kept.session, event)
        current.kept.session = next
        // With the state, so that a session that starts at this moment knows of it.
        let isRefused = effects.contains { if case .refused = $0 { true } else { false } }
        if case .setInitOnly(.useVoiceProcessingIO) = event, !isRefused { current.kept.changed.insert(.useVoiceProcessingIO) }
        return effects
      }
      var refusal: SessionRefusal?
      for effect in effects {
        switch effect {
        case .refused(let why): refusal = why
        case .warn(let text): log.add(.warning, text)
        // The next service begins with the whole state.
        default: break
        }
      }
      return refusal
    }
  }

  private func received(_ event: AudioEvent) {
    // Another program may have ended prepared recording.
    let isPreparation = event.kind == .settingChanged && event.detail["setting"] == .string(Setting.recordingAlwaysPrepared.rawValue)
    // The event may come from the graph's control thread, which must not wait for its own end.
    if event.kind == .mediaUnregistered || isPreparation { stopSoonWhereUnused() }
  }

  func stopSoonWhereUnused() {
    stopping.async { [weak self] in self?.stopNowWhereUnused() }
  }
}
