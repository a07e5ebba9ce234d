import PipeWireClient
import PipeWireGraph
import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// Runs the session: passes every event to `reduce`, one after another, and applies the effects. [any]
///
/// Effects on the core are applied before the next event; the graph and the listeners are notified afterwards, so that none of their locks
/// is ever taken inside the session's. Nor does anybody wait inside it for a microphone's callback, which may ask for its state.
package final class VoiceSession: Sendable {
  private struct State {
    var machine: SessionMachine
    /// Whether the session has recovered, and the graph has not yet reported that sound can pass.
    var awaitsSound = false
    /// Whether that recovery is from an interruption.
    var overcomesInterruption = false
    /// Called once sound can pass.
    var soundWaiters: [@Sendable () -> Void] = []
    /// The last run of the unit.
    var unitRun = UnitRun()
    /// Drops of each ring sink at the time when the unit stopped.
    var drops: [ObjectIdentifier: UInt64] = [:]
    /// Set once, before the first event; its listener holds the session.
    weak var graph: (any SessionGraph)?
  }
  private let state: Mutex<State>
  private let core: AudioCore
  private let log: EventLog
  private let events: EventBus
  /// The source of the microphone.
  let slot: SourceSlot

  init(settings: SessionSettings, core: AudioCore, log: EventLog, events: EventBus) {
    state = Mutex(State(machine: SessionMachine(SessionState(settings: settings))))
    self.core = core
    self.log = log
    self.events = events
    slot = SourceSlot(tap: core.source, events: events)
    configureCore(settings)
  }

  private func configureCore(_ settings: SessionSettings) {
    core.source.channelCount = settings.captureChannelCount
    core.mixer.channelCount = settings.renderChannelCount
    core.controls.usesVoiceProcessing = settings.usesVoiceProcessing
    apply(SessionState(settings: settings).microphoneGate)
  }

  private func apply(_ gate: MicrophoneGate) {
    // Mode first: a mute must not begin in the former mode.
    core.controls.mutesInput = gate.mutesInput
    core.controls.isMicrophoneMuted = gate.isMuted
    core.controls.isVoiceOnlyPrepared = gate.isOnlyPrepared
  }

  func connect(to graph: any SessionGraph) { state.withLock { $0.graph = graph } }

  private var graph: (any SessionGraph)? { state.withLock { $0.graph } }

  /// Continues an earlier session's state; called before the graph is joined.
  func resume(_ session: SessionState) {
    state.withLock { state in
      state.machine.resume(session)
      configureCore(session.settings)
    }
  }

  /// The current state.
  package var current: SessionState { state.withLock { $0.machine.state } }

  /// The current interruption that began first (I1).
  package var interruption: Interruption? { state.withLock { $0.machine.interruption } }

  /// The interruptions, past and current, oldest first (I1).
  package var interruptions: [InterruptionRecord] { state.withLock { $0.machine.interruptions } }

  /// Sends an event. Returns the reason if it is refused; nothing has changed then.
  @discardableResult
  package func send(_ event: SessionEvent) -> SessionRefusal? {
    let change = transition(event) { true }
    finish(change)
    return change.refusal
  }

  /// Registers a ring sink with both session and mixer, or neither.
  func register(_ sink: RingSink) throws(SinkError) -> SessionRefusal? {
    var failure: SinkError?
    let change = transition(.registerSink(mediaId: sink.id)) {
      do throws(SinkError) { try core.mixer.add(sink) } catch { failure = error }
      return failure == nil
    }
    if let failure { throw failure }
    finish(change)
    return change.refusal
  }

  /// Registers a source with both the session and its slot, or neither (L5).
  func register(_ source: RegisteredSource) -> SessionRefusal? {
    let change = transition(.registerSource(mediaId: source.mediaId)) {
      slot.accept(source)
      return true
    }
    finish(change)
    return change.refusal
  }

  /// Unregisters exactly this source; a later one of the same id stays.
  func unregister(_ source: RegisteredSource) {
    var isRegistered = false
    let change = transition(.unregisterSource(mediaId: source.mediaId)) {
      isRegistered = slot.current === source
      return isRegistered
    }
    // Whoever ends it at the same moment waits, too.
    if isRegistered { finish(change) } else { slot.settle() }
  }

  /// Updates the applications that use nearend (L3). The graph is not notified of a new demand: it reads the demand right afterwards.
  func update(applications: [Media]) {
    finish(transition(.applications(applications)) { true }, notifiesGraph: false)
  }

  /// The present run of the unit; nil while it does not run. [any]
  var unitRun: UnitRun? { state.withLock { $0.machine.state.isUnitRunning ? $0.unitRun : nil } }

  /// The demand on the graph now, and as it would be without interruptions.
  var demands: SessionDemands { state.withLock { SessionDemands(now: $0.machine.state.demand, wanted: $0.machine.state.wanted) } }

  /// Handles the graph's report that everything is linked, and cycles run where they are due: posts a pending recovery (S4).
  func soundPasses() {
    let (isAwaited, isOvercome, waiters) = state.withLock { state in
      defer { (state.awaitsSound, state.overcomesInterruption, state.soundWaiters) = (false, false, []) }
      return (state.awaitsSound, state.awaitsSound && state.overcomesInterruption, state.soundWaiters)
    }
    if isOvercome { log.add(.info, "recovered: sound can pass again") }
    if isAwaited { events.post(.didRecover) }
    for waiter in waiters { waiter() }
  }

  /// Calls `body` once everything that the session demands is linked, and cycles run where they are due: for a program that has joined.
  func notifyWhenSoundPasses(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.soundWaiters.append(body) }
    graph?.notifyWhenSoundPasses()
  }

  // MARK: Ending

  /// Stops accepting registrations. Returns false, without any change, if something uses the session, or it is still activated without
  /// media (S5).
  func endIfUnused() -> Bool { state.withLock { $0.machine.endIfUnused() } }

  /// Stops accepting registrations, whatever uses the session.
  func end() { state.withLock { $0.machine.isEnded = true } }

  /// Whether the session has ended: registrations are refused, and settings may be lost. [any]
  var hasEnded: Bool { state.withLock { $0.machine.isEnded } }

  // MARK: Transitions

  /// - Parameter isPossible: called only if the session accepts the event.
  private func transition(_ event: SessionEvent, _ isPossible: () -> Bool) -> SessionChange {
    state.withLock { state in
      slot.catchUp(&state.machine)
      var change = state.machine.change(for: event)
      guard change.refusal == nil, isPossible() else { return change.withdrawn }
      state.machine.commit(&change)
      let isRunning = change.new.isUnitRunning
      if change.effects.contains(.recovered) { state.awaitsSound = true }
      if change.overcomesInterruption { state.overcomesInterruption = true }
      if !isRunning { (state.awaitsSound, state.overcomesInterruption) = (false, false) }
      if change.old.isUnitRunning != isRunning {
        holdSinks(!isRunning, &state.drops)
        if isRunning { state.unitRun.begin(core.mixer.ringSinks) }
      }
      events.update(sourceOf: change)
      for effect in change.effects { apply(effect) }
      return change
    }
  }

  /// Lets ring sinks, and those of application audio, keep their audio while the unit is stopped. If a writer continued while the ring was
  /// full, its audio is stale and is discarded, as after a pause (R5).
  private func holdSinks(_ isHeld: Bool, _ drops: inout [ObjectIdentifier: UInt64]) {
    let sinks = core.mixer.ringSinks + core.appAudio.mixer.ringSinks
    guard !isHeld else {
      drops = Dictionary(uniqueKeysWithValues: sinks.map { (ObjectIdentifier($0), $0.status().totalDrops) })
      return
    }
    for sink in sinks where sink.status().totalDrops > drops[ObjectIdentifier(sink)] ?? 0 { sink.reset() }
    drops = [:]
  }

  /// Applies an effect on the core.
  private func apply(_ effect: SessionEffect) {
    switch effect {
    case .voiceProcessing(let on): core.controls.usesVoiceProcessing = on
    case .microphone(let gate): apply(gate)
    case .removeSink(let id): core.mixer.remove(id: id)
    case .channelCounts(let capture, let render):
      core.source.channelCount = capture
      core.mixer.channelCount = render
    case .attachSource(let id): slot.attach(mediaId: id) { [weak self] in self?.send(.sourceHadAudio(mediaId: id)) }
    case .detachSource(let id): slot.detach(mediaId: id)
    case .removeSource(let id): slot.remove(mediaId: id)
    case .resetSinks: for sink in core.mixer.ringSinks { sink.reset() }
    case .refused, .demand, .rebuild, .recovered, .warn: break
    }
  }

  /// Applies the effects on the graph, and notifies the listeners.
  private func finish(_ change: SessionChange, notifiesGraph: Bool = true) {
    slot.settle()
    events.postMedia(of: change)
    postInterruptions(change)
    for effect in change.effects {
      switch effect {
      case .demand: if notifiesGraph { graph?.demandChanged() }
      case .rebuild: graph?.rebuild()
      case .refused(.locked(let setting)): log.add(.warning, SessionRefusal.locked(setting: setting).description)
      case .warn(let text): log.add(.warning, text)
      case .recovered: graph?.notifyWhenSoundPasses()
      case .channelCounts: graph?.parametersChanged()
      default: break
      }
    }
  }

  private func postInterruptions(_ change: SessionChange) {
    for reason in change.new.interruptions where !change.old.interruptions.contains(reason) {
      events.post(.interruptionBegan, detail: ["reason": .string(reason.rawValue)])
    }
    for record in change.records {
      log.add(.info, "interruption (\(record.reason.rawValue)) over after \(fixed(record.duration, 1)) s\(consequence(record, change.new))")
      events.post(.interruptionEnded, detail: ["reason": .string(record.reason.rawValue), "duration": .number(record.duration)])
    }
  }

  private func consequence(_ record: InterruptionRecord, _ session: SessionState) -> String {
    switch record.outcome {
    case .recovered: "; recovering"
    case .holds, .ended: ""
    case .waits where !session.interruptions.isEmpty: "; \(session.interruptions.map(\.rawValue).joined(separator: ", ")) still applies"
    case .waits where session.awaitsRecovery: "; recovery waits for the login session"
    case .waits: "; waiting for the call manager to activate the session"
    }
  }
}
