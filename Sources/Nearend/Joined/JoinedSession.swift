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
///     calls ─▶ reduce ─▶ media, outputs, source ─▶ settle ─▶ requests and streams of the host's control socket
///     host's events ─▶ settings, interruptions ─▶ program
///
/// The program's state is kept in this session, and passed to the host whenever there is one, so that a host that went away and came back
/// gets it again. Settings are the host's, except manual management: one program's call manager does not decide for the others.
final class JoinedSession: DrivenSession {
  struct State {
    var session = SessionState()
    var history = InterruptionHistory()
    var isEnded = false
    var isStopped = false
    /// nil while the host is away.
    var link: HostLink?
    /// The host's settings, as last reported.
    var settings: [Setting: EventValue] = [:]
    /// Settings that were changed while the host was away.
    var waiting: [Setting: EventValue] = [:]
    /// Settings that end with this program, and are requested again from a host that comes back.
    var programScoped: [Setting: EventValue] = [:]
    /// The host's names of the media registered there, by the program's own.
    var names: [String: String] = [:]
    /// The host's names of media that this program has unregistered, until the host has reported that.
    var released: Set<String> = []
    var outputs: [String: JoinedOutput] = [:]
    var voice: JoinedVoice?
    var appAudio: JoinedOutput?
    var appAudioCount = 0
    var isAppAudioEnabled = true
  }
  let shared: Mutex<State>
  let path: String
  let log: EventLog
  let events: EventBus
  let tap = SourceTap()
  let slot: SourceSlot
  let tally = EventTally()
  private let detector = Mutex(EventDetector())
  /// Serializes requests to the host. Taken before `shared`, which is held only briefly.
  private let hosting = Mutex(())
  let engine = AudioEngine.elsewhere

  /// Seconds between attempts to find the host again; the longer one once it has been away for `patience`.
  private static let retryIntervals = (soon: 0.1, later: 1.0)
  private static let patience = 10.0
  private static let stackSize = 512 << 10

  init(_ link: HostLink, log: EventLog, events: EventBus) {
    var state = State()
    state.link = link
    state.settings = Self.settings(link.welcome.settings)
    shared = Mutex(state)
    path = link.path
    self.log = log
    self.events = events
    slot = SourceSlot(tap: tap)
    tally.listen(to: events)
    slot.listen { [weak self] in self?.take($0) }
  }

  static func settings(_ values: [String: EventValue]) -> [Setting: EventValue] {
    var settings: [Setting: EventValue] = [:]
    for (name, value) in values {
      guard let setting = Setting(rawValue: name), let value = try? setting.checked(value) else { continue }
      settings[setting] = value
    }
    return settings
  }

  var mode: SessionMode { .joined }
  var state: SessionState { shared.withLock { $0.session } }
  var link: HostLink? { shared.withLock { $0.link } }

  var interruption: Interruption? {
    records.first { $0.outcome == .holds }.map { Interruption(reason: $0.reason, duration: $0.duration) }
  }
  var records: [InterruptionRecord] { shared.withLock { $0.history.records(at: secondsSinceBoot()) } }

  // MARK: Start and stop

  func resume(_ session: SessionState) {
    shared.withLock { $0.session = session }
    tap.channelCount = session.settings.captureChannelCount
  }

  func start() throws(GraphError) {
    guard let link else { throw .refused(reason: "the nearend that runs has gone; try again") }
    log.add(.info, "joined nearend \(link.welcome.nearend) (process \(link.welcome.process))")
    if !state.settings.configuresDevices { warnOfConfiguration() }
    mirror()
    for reason in link.welcome.interruptions { change(.interruptionBegan(reason)) }
    startThread(name: "nearend-joined", stackSize: Self.stackSize) { [self] in follow(link) }
  }

  func end() { shared.withLock { $0.isEnded = true } }

  func endIfUnused() -> Bool {
    shared.withLock { state in
      guard !state.session.isNeeded, !state.session.isActivated else { return false }
      state.isEnded = true
      return true
    }
  }

  func stop() {
    let state = shared.withLock { state in
      let old = state
      (state.isEnded, state.isStopped) = (true, true)
      (state.link, state.names, state.outputs, state.appAudio, state.voice) = (nil, [:], [:], nil, nil)
      return old
    }
    // Before the link ends, because the host then ends the streams.
    slot.remove(mediaId: nil)
    for output in state.outputs.values { output.close() }
    state.appAudio?.close()
    state.voice?.end()
    state.link?.end()
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
    settle()
    if change.effects.contains(.recovered) { awaitSound() }
    return nil
  }

  /// Warns that automatic configuration cannot be switched off: the host links, ducks and interrupts for all programs at once.
  private func warnOfConfiguration() {
    log.add(.warning, "the joined nearend configures devices for all its programs: automatic configuration off has no effect here")
  }

  struct Change {
    var old: SessionState
    var new: SessionState
    var effects: [SessionEffect]

    var refusal: SessionRefusal? {
      for case .refused(let refusal) in effects { return refusal }
      return nil
    }
  }

  /// Changes this session alone. `accept` stores what belongs to the event; it is called only if the session accepts the event.
  @discardableResult
  func change(_ event: SessionEvent, _ accept: (inout State) -> Bool = { _ in true }) -> Change {
    let change = shared.withLock { state in
      let old = state.session
      let (new, effects) = state.isEnded && event.addsUse ? (old, [.refused(.ended)]) : reduce(old, event)
      var change = Change(old: old, new: new, effects: effects)
      guard change.refusal == nil, accept(&state) else {
        change.new = old
        return change
      }
      let recovers = effects.contains(.recovered)
      state.history.note(from: old, to: new, isRecovered: recovers, time: Date().timeIntervalSince1970, clock: secondsSinceBoot())
      state.session = new
      if old.source?.hadAudio != new.source?.hadAudio { events.sourceHadAudio = new.source?.hadAudio ?? false }
      for effect in effects { apply(effect, &state) }
      return change
    }
    for media in change.new.media where !change.old.media.contains(media) { events.post(.mediaRegistered, mediaId: media.id) }
    for media in change.old.media where !change.new.media.contains(media) { events.post(.mediaUnregistered, mediaId: media.id) }
    for case .warn(let text) in change.effects { log.add(.warning, text) }
    return change
  }

  private func apply(_ effect: SessionEffect, _ state: inout State) {
    switch effect {
    case .removeSink(let id): state.outputs.removeValue(forKey: id)?.close()
    case .resetSinks: for output in state.outputs.values { output.reset() }
    case .channelCounts(let capture, _): tap.channelCount = capture
    case .attachSource(let id): slot.attach(mediaId: id)
    case .detachSource(let id): slot.detach(mediaId: id)
    case .removeSource(let id): slot.remove(mediaId: id)
    default: break
    }
  }

  // MARK: Requests to the host

  /// Makes the host provide what this session wants: media, outputs, the voice. Does nothing while it is away.
  func settle() {
    hosting.withLock { _ in
      guard let link else { return }
      settleMedia(link)
      let (outputs, names, source) = shared.withLock { ($0.outputs, $0.names, $0.session.source) }
      for (id, output) in outputs {
        guard let name = names[id] else {
          if output.isOpen { output.reset() }
          continue
        }
        guard !output.isOpen else { continue }
        do throws(HostError) { try open(output, name, link) } catch { tell("speaker output '\(id)'", error) }
      }
      settleVoice(link, isWanted: source.map { names[$0.mediaId] != nil } ?? false)
    }
  }

  private func settleMedia(_ link: HostLink) {
    let (wanted, names) = shared.withLock { state in
      let session = state.session
      let isPresent = !session.settings.isManual || session.isActivatedExternally
      return (isPresent ? session.media.filter { $0.owner == .program } : [], state.names)
    }
    for (id, name) in names where !wanted.contains(where: { $0.id == id }) {
      shared.withLock { state in
        state.names[id] = nil
        state.released.insert(name)
      }
      _ = try? link.ask("DELETE", "/media/\(name)")
    }
    for media in wanted where names[media.id] == nil {
      do throws(HostError) {
        let target = "/media/\(Self.name(for: media.id))?program=\(link.welcome.program)"
        let answer = try link.ask("POST", target + (media.isSend ? "&send=1" : "") + (media.isReceive ? "&receive=1" : ""))
        guard let name = (try? JSONDecoder().decode(Media.self, from: answer))?.id else { continue }
        shared.withLock { if $0.link === link { $0.names[media.id] = name } }
      } catch {
        tell("media '\(media.id)'", error)
      }
    }
  }

  /// Returns a name that a host accepts.
  static func name(for id: String) -> String {
    guard IdRule.problem(id) != nil else { return id }
    let name = id.prefix(IdRule.lengths.upperBound).map { IdRule.allows($0) ? $0 : "_" }
    return name.isEmpty ? "_" : String(name)
  }

  /// Opens an output's stream, with its own gain, mute and SSRC.
  func open(_ output: JoinedOutput, _ name: String, _ link: HostLink) throws(HostError) {
    let stream = try link.open(
      "/playout/\(name)",
      ["rate": output.format.sampleRate, "channels": output.format.channelCount, "bytes": output.capacity])
    output.use(stream) { [weak self] in
      // The host ended, or somebody else removed the output there.
      self?.afterHost { session in
        guard !output.isOpen, session.shared.withLock({ $0.outputs[output.id] === output }) else { return }
        session.change(.unregisterSink(mediaId: output.id))
      }
    }
    var changes: [String: EventValue] = [:]
    if output.gain != 1 { changes["gain"] = .number(output.gain) }
    if output.isMuted { changes["muted"] = true }
    if let ssrc = output.ssrc { changes["ssrc"] = .integer(Int(ssrc)) }
    if !changes.isEmpty { try link.ask("PATCH", "/sinks/\(name)", changes) }
  }

  private func settleVoice(_ link: HostLink, isWanted: Bool) {
    let voice = shared.withLock { $0.voice }
    if isWanted, voice == nil {
      do throws(HostError) {
        let stream = try link.open("/voice")
        let new = JoinedVoice(
          stream, into: tap,
          lost: { [weak self] lost, total in
            guard let self, let id = state.source?.mediaId else { return }
            take(.overrun(mediaId: id, lost: lost, total: total))
          }, ended: {})
        let isTaken = shared.withLock { state in
          guard state.link === link else { return false }
          state.voice = new
          return true
        }
        if !isTaken { new.end() }
      } catch {
        tell("the microphone", error)
      }
    } else if !isWanted, let voice {
      shared.withLock { $0.voice = nil }
      voice.end()
    }
  }

  func tell(_ what: String, _ error: HostError) {
    // The loss of the host is logged once, where the link ends.
    if case .refused(_, let reason) = error { log.add(.warning, "\(what): the joined nearend refuses: \(reason)") }
  }

  /// Asks the host to post `didRecover` once sound passes.
  private func awaitSound() {
    guard let link else { return }
    _ = try? link.ask("POST", "/commands?program=\(link.welcome.program)", ["command": "tellWhenSoundPasses"])
  }

  // MARK: The host goes and comes

  /// Handles the host's events, and looks for the host again when it has gone. Runs on a thread of its own, until `stop`.
  private func follow(_ first: HostLink) {
    var link = first
    while true {
      while let event = link.event() { take(event) }
      guard lose(link) else { return }
      let since = monotonicSeconds()
      while true {
        let away = monotonicSeconds() - since
        pause(seconds: away < Self.patience ? Self.retryIntervals.soon : Self.retryIntervals.later)
        guard !shared.withLock({ $0.isStopped }) else { return }
        do throws(GraphError) {
          guard let new = try HostLink.open(path, patience: 0) else { continue }
          link = new
          break
        } catch {
          // A nearend that cannot be joined, such as another version, has answered; a compatible one may follow.
          continue
        }
      }
      guard rejoin(link, after: monotonicSeconds() - since) else { return }
    }
  }

  /// Returns false if the session has been stopped.
  private func lose(_ link: HostLink) -> Bool {
    link.end()
    let lost = shared.withLock { state -> (outputs: [JoinedOutput], voice: JoinedVoice?, held: [Interruption.Reason])? in
      guard !state.isStopped else { return nil }
      let lost = (Array(state.outputs.values) + [state.appAudio].compactMap { $0 }, state.voice, state.session.interruptions)
      (state.link, state.names, state.released, state.voice, state.appAudio) = (nil, [:], [], nil, nil)
      return lost
    }
    guard let lost else { return false }
    log.add(.warning, "the joined nearend has gone; waiting for it")
    change(.interruptionBegan(.nearendLost))
    events.post(.interruptionBegan, detail: ["reason": .string(Interruption.Reason.nearendLost.rawValue)])
    // The host reported these; on rejoining it reports those that still apply.
    for reason in lost.held { change(.interruptionEnded(reason)) }
    lost.voice?.end()
    for output in lost.outputs { output.reset() }
    return true
  }

  /// Returns false if the session has been stopped.
  private func rejoin(_ link: HostLink, after seconds: Double) -> Bool {
    let told = Self.settings(link.welcome.settings)
    let joined = shared.withLock { state -> (old: [Setting: EventValue], due: [Setting: EventValue])? in
      guard !state.isStopped else { return nil }
      let old = state.settings
      let due = state.programScoped.merging(state.waiting) { $1 }
      (state.link, state.settings, state.waiting) = (link, told, [:])
      return (old, due)
    }
    guard let joined else {
      link.end()
      return false
    }
    for setting in Setting.allCases { if let value = joined.due[setting] { restore(setting, to: value) } }
    for setting in Setting.allCases where joined.old[setting] != told[setting] && joined.due[setting] == nil { post(setting) }
    mirror()
    for reason in link.welcome.interruptions { change(.interruptionBegan(reason)) }
    settle()
    let record = records.last { $0.reason == .nearendLost }
    let change = change(.interruptionEnded(.nearendLost))
    log.add(.info, "joined nearend \(link.welcome.nearend) (process \(link.welcome.process)) again, after \(fixed(seconds, 1)) s")
    events.post(
      .interruptionEnded,
      detail: ["reason": .string(Interruption.Reason.nearendLost.rawValue), "duration": .number(record?.duration ?? seconds)])
    if change.effects.contains(.recovered) { awaitSound() }
    return true
  }

  // MARK: The source's news

  private func take(_ news: SourceNews) {
    switch news {
    case .hadAudio(let id): change(.sourceHadAudio(mediaId: id))
    case .rates(let id, let capture, let output):
      let resampling = capture == output ? nil : SessionState.Resampling(captureRate: capture, outputRate: output)
      change(.sourceResampling(mediaId: id, resampling))
    case .overrun(let id, let lost, let total):
      let event = detector.withLock { $0.sourceOverrun(mediaId: id, lost: lost, total: total, at: monotonicSeconds()) }
      if let event { events.post(event.kind, mediaId: event.mediaId, detail: event.detail) }
    }
  }
}
