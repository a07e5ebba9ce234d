import ControlClient
import Foundation
import PipeWireGraph
import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// The session of a program that has joined a running nearend, its host: the program's own media, outputs and source, kept here and
/// provided there. [any]
///
///     calls ─▶ reduce ─▶ media, outputs, source ─▶ updateHost ─▶ requests and streams of the host's control socket
///     host's events ─▶ settings, interruptions ─▶ program
///
/// The program's state is kept in this session, and passed to the host whenever there is one, so that a host that went away and came back
/// gets it again. Settings are the host's, except manual management: one program's call manager does not decide for the others.
final class JoinedSession: DrivenSession {
  let shared: Mutex<JoinedState>
  let path: String
  let log: EventLog
  let events: EventBus
  let tap = SourceTap()
  let slot: SourceSlot
  let tally = EventTally()
  /// Serializes requests to the host. Locked before `shared`, which is held only briefly.
  let requests = Mutex(())
  let engine = AudioEngine.elsewhere

  private static let stackSize = 512 << 10

  init(_ link: HostLink, log: EventLog, events: EventBus) {
    shared = Mutex(JoinedState(link))
    path = link.path
    self.log = log
    self.events = events
    slot = SourceSlot(tap: tap, events: events)
    tally.listen(to: events)
  }

  var mode: SessionMode { .joined }
  var state: SessionState { shared.withLock { $0.session } }
  var link: HostLink? { shared.withLock { $0.host?.link } }

  var interruption: Interruption? { shared.withLock { $0.machine.interruption } }
  var records: [InterruptionRecord] { shared.withLock { $0.machine.interruptions } }

  // MARK: Start and stop

  func resume(_ session: SessionState) {
    shared.withLock { $0.machine.resume(session) }
    tap.channelCount = session.settings.captureChannelCount
  }

  func start() throws(GraphError) {
    guard let link else { throw .refused(reason: "the nearend that runs has gone; try again") }
    log.add(.info, "joined nearend \(link.welcome.nearend) (process \(link.welcome.process))")
    if !state.settings.configuresDevices { warnOfConfiguration() }
    applyHostSettings()
    for reason in link.welcome.interruptions { change(.interruptionBegan(reason)) }
    startThread(name: "nearend-joined", stackSize: Self.stackSize) { [self] in follow(link) }
  }

  func end() { shared.withLock { $0.machine.isEnded = true } }

  func endIfUnused() -> Bool { shared.withLock { $0.machine.endIfUnused() } }

  func stop() {
    let state = shared.withLock { state in
      let old = state
      (state.machine.isEnded, state.isStopped) = (true, true)
      (state.host, state.outputs) = (nil, [:])
      return old
    }
    // Before the link ends, because the host then ends the streams.
    slot.remove(mediaId: nil)
    slot.settle()
    for output in state.outputs.values { output.close() }
    state.host?.appAudio?.close()
    state.host?.voice?.end()
    state.host?.link.end()
  }

  // MARK: Transitions

  @discardableResult
  func send(_ event: SessionEvent) -> SessionRefusal? {
    if case .setInitOnly(.useVoiceProcessingIO(let on)) = event { return setVoiceProcessing(on) }
    let change = change(event)
    if let refusal = change.refusal {
      if case .locked = refusal { log.add(.warning, refusal.description) }
      return refusal
    }
    if change.old.settings.configuresDevices, !change.new.settings.configuresDevices { warnOfConfiguration() }
    updateHost()
    if change.effects.contains(.recovered) { requestRecoveryEvent() }
    return nil
  }

  /// Warns that automatic configuration cannot be switched off: the host links, ducks and interrupts for all programs at once.
  private func warnOfConfiguration() {
    log.add(.warning, "the joined nearend configures devices for all its programs: automatic configuration off has no effect here")
  }

  /// Changes this session alone. `accept` stores what belongs to the event; it is called only if the session accepts the event.
  @discardableResult
  func change(_ event: SessionEvent, _ accept: (inout JoinedState) -> Bool = { _ in true }) -> SessionChange {
    let change = shared.withLock { state in
      slot.catchUp(&state.machine)
      var change = state.machine.change(for: event)
      guard change.refusal == nil, accept(&state) else { return change.withdrawn }
      state.machine.commit(&change)
      events.update(sourceOf: change)
      for effect in change.effects { apply(effect, &state) }
      return change
    }
    slot.settle()
    events.postMedia(of: change)
    for case .warn(let text) in change.effects { log.add(.warning, text) }
    return change
  }

  private func apply(_ effect: SessionEffect, _ state: inout JoinedState) {
    switch effect {
    case .removeSink(let id): state.outputs.removeValue(forKey: id)?.close()
    case .resetSinks: for output in state.outputs.values { output.reset() }
    case .channelCounts(let capture, _): tap.channelCount = capture
    case .attachSource(let id): slot.attach(mediaId: id) { [weak self] in self?.change(.sourceHadAudio(mediaId: id)) }
    case .detachSource(let id): slot.detach(mediaId: id)
    case .removeSource(let id): slot.remove(mediaId: id)
    default: break
    }
  }
}
