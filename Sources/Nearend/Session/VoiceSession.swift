import Foundation
import PipeWireClient
import PipeWireGraph
import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// Runs the session: passes every event to `reduce`, one after another, and applies the effects. [any]
///
/// Effects on the core are applied before the next event; the graph and the listeners are notified afterwards, so that none of their locks
/// is ever taken inside the session's.
package final class VoiceSession: Sendable {
  private struct State {
    var session = SessionState()
    var history = InterruptionHistory()
    /// A Boolean value indicating whether the session refuses registrations.
    var isEnded = false
    /// A Boolean value indicating whether the session has recovered, and the graph has not yet reported that sound can pass.
    var awaitsSound = false
    /// Called once sound can pass.
    var soundWaiters: [@Sendable () -> Void] = []
    /// Drops of each ring sink at the time when the unit stopped.
    var drops: [ObjectIdentifier: UInt64] = [:]
  }
  private let state: Mutex<State>
  private let core: AudioCore
  private let log: EventLog
  private let events: EventBus
  /// The source of the microphone.
  let slot: SourceSlot
  /// Set once, before the first event.
  private let graph = Callback<@Sendable (GraphRequest) -> Void>()

  /// A request of the session to the graph.
  enum GraphRequest { case demandChanged, rebuild, tellWhenSoundPasses }

  init(settings: SessionSettings, core: AudioCore, log: EventLog, events: EventBus) {
    state = Mutex(State(session: SessionState(settings: settings)))
    self.core = core
    self.log = log
    self.events = events
    slot = SourceSlot(tap: core.source)
    tellCore(settings)
  }

  private func tellCore(_ settings: SessionSettings) {
    core.source.channelCount = settings.captureChannelCount
    core.mixer.channelCount = settings.renderChannelCount
    core.controls.usesVoiceProcessing = settings.usesVoiceProcessing
    tellCore(SessionState(settings: settings).microphoneGate)
  }

  private func tellCore(_ gate: MicrophoneGate) {
    // Mode first: a mute must not begin in the former mode.
    core.controls.mutesInput = gate.mutesInput
    core.controls.isMicrophoneMuted = gate.isMuted
    core.controls.isVoiceOnlyPrepared = gate.isOnlyPrepared
  }

  func connect(to graph: @escaping @Sendable (GraphRequest) -> Void) { self.graph.set(graph) }

  /// Continues an earlier session's state; called before the graph is joined.
  func resume(_ session: SessionState) {
    state.withLock { state in
      state.session = session
      tellCore(session.settings)
    }
  }

  /// The current state.
  package var current: SessionState { state.withLock { $0.session } }

  /// The current interruption that began first (I1).
  package var interruption: Interruption? {
    interruptions.first { $0.outcome == .holds }.map { Interruption(reason: $0.reason, duration: $0.duration) }
  }

  /// The interruptions, past and current, oldest first (I1).
  package var interruptions: [InterruptionRecord] { state.withLock { $0.history.records(at: secondsSinceBoot()) } }

  /// Sends an event. Returns the reason if it is refused; nothing has changed then.
  @discardableResult
  package func send(_ event: SessionEvent) -> SessionRefusal? {
    let change = transition(event) { true }
    finish(event, change)
    return change.refusal
  }

  /// Registers a ring sink with both session and mixer, or neither.
  func register(_ sink: RingSink) throws(SinkError) -> SessionRefusal? {
    let event = SessionEvent.registerSink(mediaId: sink.id)
    var failure: SinkError?
    let change = transition(event) {
      do throws(SinkError) { try core.mixer.add(sink) } catch { failure = error }
      return failure == nil
    }
    if let failure { throw failure }
    finish(event, change)
    return change.refusal
  }

  /// Registers a source with both the session and its slot, or neither (L5).
  func register(_ source: RegisteredSource) -> SessionRefusal? {
    let event = SessionEvent.registerSource(mediaId: source.mediaId)
    let change = transition(event) {
      slot.accept(source)
      return true
    }
    finish(event, change)
    return change.refusal
  }

  /// Unregisters exactly this source; a later one of the same id stays.
  func unregister(_ source: RegisteredSource) {
    var isRegistered = false
    let event = SessionEvent.unregisterSource(mediaId: source.mediaId)
    let change = transition(event) {
      isRegistered = slot.current === source
      return isRegistered
    }
    if isRegistered { finish(event, change) }
  }

  /// Takes the applications that use nearend (L3). The graph is not notified of a new demand: it reads the demand right afterwards.
  func update(applications: [Media]) {
    let event = SessionEvent.applications(applications)
    let change = transition(event) { true }
    finish(event, change, tellsGraph: false)
  }

  /// The demand on the graph now, and as it would be without interruptions.
  var demands: SessionDemands { state.withLock { SessionDemands(now: $0.session.demand, wanted: $0.session.wanted) } }

  /// Takes the graph's report that everything is linked, and cycles run where they are due; posts a pending recovery (S4).
  func soundPasses() {
    let (isAwaited, waiters) = state.withLock { state in
      defer { (state.awaitsSound, state.soundWaiters) = (false, []) }
      return (state.awaitsSound, state.soundWaiters)
    }
    if isAwaited { events.post(.didRecover) }
    for tell in waiters { tell() }
  }

  /// Calls `tell` once everything that the session demands is linked, and cycles run where they are due: for a program that has joined.
  func tellWhenSoundPasses(_ tell: @escaping @Sendable () -> Void) {
    state.withLock { $0.soundWaiters.append(tell) }
    ask(.tellWhenSoundPasses)
  }

  // MARK: Ending

  /// Stops accepting registrations. Returns false, without any change, if something uses the session, or it is still activated without
  /// media (S5).
  func endIfUnused() -> Bool {
    state.withLock { state in
      guard !state.session.isNeeded, !state.session.isActivated else { return false }
      state.isEnded = true
      return true
    }
  }

  /// Stops accepting registrations, whatever uses the session.
  func end() { state.withLock { $0.isEnded = true } }

  /// A Boolean value indicating whether the session has ended: registrations are refused, and settings may be lost. [any]
  var hasEnded: Bool { state.withLock { $0.isEnded } }

  // MARK: Transitions

  private struct Change {
    var old: SessionState
    var new: SessionState
    var effects: [SessionEffect]
    /// The interruptions that ended with this change.
    var records: [InterruptionRecord] = []

    var refusal: SessionRefusal? {
      for case .refused(let refusal) in effects { return refusal }
      return nil
    }
  }

  /// - Parameter isPossible: called only if the session accepts the event.
  private func transition(_ event: SessionEvent, _ isPossible: () -> Bool) -> Change {
    state.withLock { state in
      let old = state.session
      let (new, effects) = state.isEnded && event.addsUse ? (old, [.refused(.ended)]) : reduce(old, event)
      var change = Change(old: old, new: new, effects: effects)
      guard change.refusal == nil, isPossible() else {
        change.new = old
        return change
      }
      let clock = secondsSinceBoot()
      state.history.note(
        from: old, to: new, isRecovered: effects.contains(.recovered), time: Date().timeIntervalSince1970, clock: clock)
      let records = state.history.records(at: clock)
      change.records = old.interruptions.filter { !new.interruptions.contains($0) }.map { reason in
        records.last { $0.reason == reason } ?? InterruptionRecord(reason: reason, began: 0, duration: 0, outcome: .ended)
      }
      state.session = new
      if effects.contains(.recovered) { state.awaitsSound = true }
      if !new.isUnitRunning { state.awaitsSound = false }
      if old.isUnitRunning != new.isUnitRunning { holdSinks(!new.isUnitRunning, &state.drops) }
      // A leaf lock: nothing is called with it held.
      if old.source?.hadAudio != new.source?.hadAudio { events.sourceHadAudio = new.source?.hadAudio ?? false }
      for effect in effects { apply(effect) }
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
    case .microphone(let gate): tellCore(gate)
    case .removeSink(let id): core.mixer.remove(id: id)
    case .channelCounts(let capture, let render):
      core.source.channelCount = capture
      core.mixer.channelCount = render
    case .attachSource(let id): slot.attach(mediaId: id)
    case .detachSource(let id): slot.detach(mediaId: id)
    case .removeSource(let id): slot.remove(mediaId: id)
    case .resetSinks: for sink in core.mixer.ringSinks { sink.reset() }
    case .refused, .demand, .rebuild, .recovered, .warn: break
    }
  }

  /// Applies the effects on the graph, and notifies the listeners.
  private func finish(_ event: SessionEvent, _ change: Change, tellsGraph: Bool = true) {
    for media in change.new.media where !change.old.media.contains(media) { events.post(.mediaRegistered, mediaId: media.id) }
    for media in change.old.media where !change.new.media.contains(media) { events.post(.mediaUnregistered, mediaId: media.id) }
    tellOfInterruptions(change)
    for effect in change.effects {
      switch effect {
      case .demand: if tellsGraph { ask(.demandChanged) }
      case .rebuild: ask(.rebuild)
      case .refused(.locked(let setting)): log.add(.warning, SessionRefusal.locked(setting: setting).description)
      case .warn(let text): log.add(.warning, text)
      case .recovered: ask(.tellWhenSoundPasses)
      default: break
      }
    }
  }

  private func tellOfInterruptions(_ change: Change) {
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
    case .recovered: "; recovered"
    case .holds, .ended: ""
    case .waits where !session.interruptions.isEmpty: "; \(session.interruptions.map(\.rawValue).joined(separator: ", ")) still applies"
    case .waits where session.awaitsRecovery: "; recovery waits for the login session"
    case .waits: "; waiting for the call manager to activate the session"
    }
  }

  private func ask(_ request: GraphRequest) { graph.current?(request) }
}

extension SessionEvent {
  /// A Boolean value indicating whether the event may make an unused session needed.
  var addsUse: Bool {
    switch self {
    case .registerMedia, .setRecordingAlwaysPrepared(true): true
    case .applications(let applications): !applications.isEmpty
    default: false
    }
  }
}
