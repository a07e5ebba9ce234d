import Foundation
import PipeWireClient
import RealtimeCore
import SessionModel
import Synchronization

/// The session at work: brings every event to `reduce`, one after another, and does what follows. [any]
///
/// What concerns the core is done before the next event can come in; the graph and the listeners are told afterwards, so that no lock of theirs is ever
/// taken inside the session's.
public final class VoiceSession: Sendable {
  private struct State {
    var session = SessionState()
    var history = InterruptionHistory()
    /// It takes nobody in any more.
    var isEnded = false
    /// It has recovered, and the graph is yet to say that sound can pass.
    var awaitsSound = false
    /// Frames that each ring sink had refused when the unit stopped.
    var drops: [String: UInt64] = [:]
  }
  private let state: Mutex<State>
  private let core: AudioCore
  private let log: EventLog
  private let events: EventBus
  /// Who takes the microphone.
  let slot: SourceSlot
  /// Set once, before the first event.
  private let graph = Callback<@Sendable (GraphRequest) -> Void>()

  /// What the session asks of the graph.
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
    // In this order: a mute must not begin in the other mode.
    core.controls.mutesInput = gate.mutesInput
    core.controls.isMicrophoneMuted = gate.isMuted
    core.controls.isVoiceHeld = gate.isHeld
  }

  func connect(to graph: @escaping @Sendable (GraphRequest) -> Void) { self.graph.set(graph) }

  /// Goes on from what an earlier session left. Before the graph is joined.
  func resume(_ session: SessionState) {
    state.withLock { state in
      state.session = session
      tellCore(session.settings)
    }
  }

  /// The session as it is now.
  public var current: SessionState { state.withLock { $0.session } }

  /// The interruption that began first of those that hold now (I1).
  public var interruption: Interruption? {
    interruptions.first { $0.outcome == .holds }.map { Interruption(reason: $0.reason, duration: $0.duration) }
  }

  /// What holds the session up or did, oldest first (I1).
  public var interruptions: [InterruptionRecord] { state.withLock { $0.history.records(at: monotonicSeconds()) } }

  /// Lets something happen. Returns why not, where it is refused; nothing has changed then.
  @discardableResult
  public func send(_ event: SessionEvent) -> SessionRefusal? {
    let change = transition(event) { true }
    finish(event, change)
    return change.refusal
  }

  /// Registers a ring sink with session and mixer, or with neither.
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

  /// Registers a source with the session and its slot, or with neither (L5).
  func register(_ source: RegisteredSource) -> SessionRefusal? {
    let event = SessionEvent.registerSource(mediaId: source.mediaId)
    let change = transition(event) {
      slot.accept(source)
      return true
    }
    finish(event, change)
    return change.refusal
  }

  /// Unregisters this very source; one of the same id that came later stays.
  func unregister(_ source: RegisteredSource) {
    var isRegistered = false
    let event = SessionEvent.unregisterSource(mediaId: source.mediaId)
    let change = transition(event) {
      isRegistered = slot.current === source
      return isRegistered
    }
    if isRegistered { finish(event, change) }
  }

  /// The graph's news of the applications that use nearend (L3), and what it must provide for them. Called with the graph's lock held: it is told nothing.
  func update(applications: [Media]) -> (demand: SessionDemand, wanted: SessionDemand) {
    let event = SessionEvent.applications(applications)
    let change = transition(event) { true }
    finish(event, change, tellsGraph: false)
    return (change.new.demand, change.new.wanted)
  }

  /// The graph's word that all is linked, and cycles run where they are due: the recovery that was waiting for it is told of (S4).
  func soundPasses() {
    let isAwaited = state.withLock { state in
      defer { state.awaitsSound = false }
      return state.awaitsSound
    }
    if isAwaited { events.post(.didRecover) }
  }

  // MARK: Its end

  /// From here on nobody new is registered: who comes is refused. False, and nothing has changed, where something uses the session, or it is still
  /// activated though nobody is there (S5).
  func endWhereUnused() -> Bool {
    state.withLock { state in
      guard !state.session.isNeeded, !state.session.isActivated else { return false }
      state.isEnded = true
      return true
    }
  }

  /// The same, whatever uses it.
  func end() { state.withLock { $0.isEnded = true } }

  /// Nobody is taken in any more, and what is set now may be lost. [any]
  var hasEnded: Bool { state.withLock { $0.isEnded } }

  // MARK: One event after another

  private struct Change {
    var old: SessionState
    var new: SessionState
    var effects: [SessionEffect]
    /// Of the interruptions that ended with it.
    var records: [InterruptionRecord] = []

    var refusal: SessionRefusal? {
      for case .refused(let refusal) in effects { return refusal }
      return nil
    }
  }

  /// `isPossible` is asked only where the session agrees.
  private func transition(_ event: SessionEvent, _ isPossible: () -> Bool) -> Change {
    state.withLock { state in
      let old = state.session
      let (new, effects) = state.isEnded && event.addsUse ? (old, [.refused(.ended)]) : reduce(old, event)
      var change = Change(old: old, new: new, effects: effects)
      guard change.refusal == nil, isPossible() else {
        change.new = old
        return change
      }
      let clock = monotonicSeconds()
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
      // A leaf's lock: nobody is told anything here.
      if old.source?.hadAudio != new.source?.hadAudio { events.sourceHadAudio = new.source?.hadAudio ?? false }
      for effect in effects { apply(effect) }
      return change
    }
  }

  /// Ring sinks keep what they have while the unit stands still. Whose writer wrote on while it was full has what is stale by now: it is thrown away, as
  /// after a pause (R5).
  private func holdSinks(_ isHeld: Bool, _ drops: inout [String: UInt64]) {
    let sinks = core.mixer.ringSinks
    guard !isHeld else {
      drops = Dictionary(sinks.map { ($0.id, $0.status().totalDrops) }) { $1 }
      return
    }
    for sink in sinks where sink.status().totalDrops > drops[sink.id] ?? 0 { sink.reset() }
    drops = [:]
  }

  /// What the core does.
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

  /// What others do, or are told.
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
      log.add(.info, "interruption (\(record.reason.rawValue)) over after \(tenths(record.duration)) s\(consequence(record, change.new))")
      events.post(.interruptionEnded, detail: ["reason": .string(record.reason.rawValue), "duration": .number(record.duration)])
    }
  }

  private func consequence(_ record: InterruptionRecord, _ session: SessionState) -> String {
    switch record.outcome {
    case .recovered: "; recovered"
    case .holds, .ended: ""
    case .waits where !session.interruptions.isEmpty: "; \(session.interruptions.map(\.rawValue).joined(separator: ", ")) holds still"
    case .waits where session.awaitsRecovery: "; recovery waits for the login session"
    case .waits: "; the call manager is to activate the session"
    }
  }

  private func tenths(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }

  private func ask(_ request: GraphRequest) { graph.current?(request) }
}

extension SessionEvent {
  /// Whether it may make a session be needed that was not.
  fileprivate var addsUse: Bool {
    switch self {
    case .registerMedia, .setRecordingAlwaysPrepared(true): true
    case .applications(let applications): !applications.isEmpty
    default: false
    }
  }
}
