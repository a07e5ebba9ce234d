import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import SimulatedHardware

/// A soak: runs the service in this process, and everything around it, except the desk's cards, in separate processes.
final class Soak {
  /// The cards on the desk at the beginning.
  static let cards: [DeskCard.Kind] = [.laptop, .hdmi]
  static let laptopSpeaker = DeskCard.make(.laptop).profiles.flatMap(\.nodes).first { $0.direction == .output }?.name ?? ""

  private let schedule: SoakSchedule
  let session: PrivateSession
  let service: NearendService
  private(set) var room: RoomProcess?
  let guests: SoakGuests
  let appAudio: AppAudioAccount
  let music: SoakMusic
  private let identity: IdentityWatch
  private let interruptions: InterruptionAccount
  private var events: [String: Int] = [:]
  /// How often a daemon or the music failed by itself, by its name and the kind of failure.
  var crashes: [String: Int] = [:]
  var failures: [String] = []
  private var memory = MemoryWatch()
  var lastCycles: UInt64 = 0
  /// The expected reasons for an interruption.
  private(set) var holds: Set<String> = []
  /// The event after which sound must be checked, once nothing interrupts the session any more.
  private var owed: String?
  /// How often a muted microphone, and a volume after ducking, were checked.
  var gates = 0, restored = 0
  /// The longest recovery time in seconds, by event.
  var recoveries: [String: Double] = [:]
  /// The schedule's time in seconds.
  private(set) var now = 0.0
  private let begin = monotonicSeconds()

  init(seed: UInt64, seconds: Double) throws {
    schedule = SoakSchedule(seed: seed, seconds: seconds)
    var configuration = SessionConfiguration()
    configuration.desk = Self.cards.map { DeskCard.make($0) }
    configuration.hasLoginManager = true
    session = try PrivateSession(configuration)
    var graph = GraphOptions(remote: session.socket)
    graph.stateFolder = "\(session.path)/state/nearend"
    graph.interruptions.systemBus = .address("unix:path=\(session.path)/system-bus")
    let control = "\(session.path)/control.sock"
    service = try NearendService(NearendOptions(graph: graph, controlSocket: control))
    appAudio = AppAudioAccount(service, socket: control, folder: session.path)
    music = SoakMusic(session: session)
    guests = SoakGuests(session: session, service: service, seed: seed)
    interruptions = InterruptionAccount(service)
    try service.start()
    identity = try IdentityWatch(socket: session.socket)
    var options = RoomOptions(socket: session.socket, epoch: monotonicSeconds() + 1)
    options.isObserving = true
    options.followsUse = true
    options.seed = seed
    if let desk = session.desk { options.acoustics = desk.acoustics }
    let room = try RoomProcess(in: session, executable: "/proc/self/exe", options: options)
    self.room = room
    session.desk?.notify { [weak desk = session.desk] in
      if let desk { room.place(desk.acoustics) }
    }
  }

  deinit {
    removeGuests()
    endClients()
    session.desk?.notify(nil)
    room?.end()
    service.stop()
    session.end()
  }

  /// Runs the soak; returns the problems found.
  func run() throws -> [String] {
    try waitForAudio("at the start", within: 15)
    for (seconds, event) in schedule {
      Thread.sleep(forTimeInterval: seconds - now)
      now = seconds
      check()
      try perform(event)
    }
    try measureMemory()
    try recovering { try comeToRest() }
    try hangUp()
    check()
    let snapshot = service.snapshot()
    failures += interruptions.problems
    report("\(events.values.reduce(0, +)) events in \(number(monotonicSeconds() - begin, 0)) s: \(list(events))")
    report("application audio: \(appAudio.summary)")
    report("\(gates) muted microphones gave zeros; \(restored) times the music was as loud as before, after a call")
    report("interruptions: \(list(interruptions.counts))")
    report(
      "seconds until the session ran again, at most: \(recoveries.sorted { $0.value > $1.value }.map { "\(number($0.value, 2)) \($0.key)" }.joined(separator: ", "))"
    )
    report(crashes.isEmpty ? "nothing else failed" : "others that failed by themselves: \(list(crashes))")
    report("\(snapshot.graph.cycles) cycles in the last graph's counting, \(snapshot.graph.xruns) xruns; \(memory.description)")
    report("MiB with nobody there, in order: \(memory.course)")
    if let failure = memory.failure { failures.append(failure) }
    if let failure = guests.failure { failures.append(failure) }
    return failures
  }

  private func list(_ counts: [String: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
  }

  // MARK: Events

  private func perform(_ event: SoakEvent) throws {
    events[event.kind, default: 0] += 1
    switch event {
    case .bypass(let on): service.perform(.set(.bypassVoiceProcessing, .bool(on)))
    case .mute(let on): service.perform(.set(.microphoneMuted, .bool(on)))
    case .component(let component, let on): service.perform(.set(component.setting, .bool(on)))
    case .clearCounters: guests.account.clearCounters(of: service)
    case .ringSinkComes(let id, let talker, let rate): try guests.ringSinkComes(id: id, talker: talker, rate: rate)
    case .ringSinkLeaves(let id): guests.ringSinkLeaves(id: id)
    case .deviceComes(let id): try guests.deviceComes(id: id)
    case .deviceLeaves(let id): guests.deviceLeaves(id: id)
    case .playerComes(let id, let target): try guests.playerComes(id: id, target: target)
    case .recorderComes(let id): try guests.recorderComes(id: id)
    case .playerLeaves(let id), .recorderLeaves(let id): guests.clientLeaves(id: id)
    case .sinkMuted(let id, let on): service.perform(.setSinkMuted(id: id, on))
    case .sinkGain(let id, let gain): service.perform(.setSinkGain(id: id, gain))
    case .uploadComes(let id, let rate, let channels, let seconds):
      try appAudio.uploadComes(id: id, rate: rate, channels: channels, seconds: seconds)
    case .uploadLeaves(let id): appAudio.uploadLeaves(id: id)
    case .capture(let frames, let rate, let channels): try appAudio.capture(frames: frames, rate: rate, channels: channels)
    case .musicComes: try music.start()
    case .musicLeaves: music.leaves()
    case .setting(let setting, let value): try service.set(setting, to: value)
    case .gate(let mode): try checkGate(mode)
    case .hangUp: try hangUp()
    case .quantum(let frames): try recovering { try session.force(quantum: frames) }
    case .restart(let daemon, let isKilled):
      try recovering { try restart(daemon, with: isKilled ? SIGKILL : SIGTERM) }
      owed = "after a restart of \(daemon.rawValue)"
    case .incident(let incident):
      hold(incident)
      try session.perform(incident)
    case .phone(let comes):
      if comes {
        holds.insert("phone")
        try guests.phoneComes()
      } else {
        guests.phoneLeaves()
        holds.remove("phone")
      }
    case .configuredDefault(let direction, let name): try recovering { try configure(direction, name) }
    case .pick(let direction, let name): service.perform(.set(direction.setting, .string(name ?? "")))
    case .resume: service.perform(.resumeAfterUnplug)
    case .measurement: try measureMemory()
    }
    _ = try isAfterCrash()
    guard holds.isEmpty else { return }
    if event.isFault { checkRecovery(from: event.kind) }
    if let owed {
      self.owed = nil
      try waitForAudio(owed, within: 15)
    }
  }

  private func hold(_ incident: Incident) {
    switch incident {
    case .sleep: holds.insert("sleep")
    case .wake: holds.remove("sleep")
    case .session(let isActive): if isActive { holds.remove("seat") } else { holds.insert("seat") }
    // The login manager cannot be reached meanwhile.
    case .stop(let daemon): holds.insert(daemon.rawValue)
    case .start(let daemon): holds.remove(daemon.rawValue)
    case .freeze: holds.insert("freeze")
    case .thaw: holds.remove("freeze")
    // The remaining devices may include no microphone.
    case .unplug(.laptop): holds.insert("laptop")
    case .plug(.laptop): holds.remove("laptop")
    default: break
    }
  }

  private func configure(_ direction: Device.Direction, _ name: String?) throws {
    let key = "default.configured.audio.\(direction == .input ? "source" : "sink")"
    let arguments = name.map { ["0", key, "{ \"name\": \"\($0)\" }", "Spa:String:JSON"] } ?? ["-d", "0", key]
    _ = try session.run("pw-metadata", arguments)
  }

  private func restart(_ daemon: PrivateSession.Daemon, with signal: Int32) throws {
    if daemon == .pipewire {
      endClients()
      holds.remove("phone")
    }
    do { try session.restart(daemon, with: signal) } catch let error as SessionError where error.code == .timedOut {
      // A known deadlock of PipeWire 0.3.65 with WirePlumber 0.4.13 over a PulseAudio client, which only that client's end resolves.
      // nearend must not be affected.
      crashes["wireplumber (left the desk alone)", default: 0] += 1
      report("\(error); \(number(now)) s after the start; PulseAudio clients end, and the session manager is started once more")
      try checkAnswers()
      endClients()
      holds.remove("phone")
      session.stop(.pulse)
      try session.restart(.wireplumber, with: SIGKILL)
    }
  }

  // MARK: Daemons that crash by themselves

  /// Runs `work`, which needs the daemons, and repeats it if one of them crashed meanwhile.
  private func recovering(_ work: () throws -> Void) throws {
    do { try work() } catch {
      guard try restartCrashed() else { throw error }
      try waitForAudio("after a crash", within: 15)
      try work()
    }
  }

  /// Restarts crashed daemons, as one more fault to recover from. Returns whether one had ended by itself.
  func restartCrashed() throws -> Bool {
    for daemon in [PrivateSession.Daemon.pipewire, .wireplumber, .pulse] {
      guard let exit = session.process(of: daemon)?.exit else { continue }
      crashes["\(daemon.rawValue) (\(exit))", default: 0] += 1
      report("\(daemon.rawValue) ended by itself, \(exit), \(number(now)) s after the start")
      try restart(daemon, with: SIGKILL)
      return true
    }
    return false
  }

  /// Restarts crashed daemons, and requires a check of the sound if there were any.
  func isAfterCrash() throws -> Bool {
    guard try restartCrashed() else { return false }
    owed = "after a crash"
    return true
  }

  /// Ends other programs.
  private func endClients() {
    guests.endClients()
    music.leaves()
  }

  private func removeGuests() {
    guests.leaveCall()
    appAudio.removeAll()
    music.leaves()
  }

  /// Measures memory. Participants hold seconds of speech in this process, and one engine of the canceller is 4 MiB larger than the other:
  /// memory is compared without guests, and with one engine.
  private func measureMemory() throws {
    removeGuests()
    let canceller = service.value(of: .echoCanceller)
    try service.set(.echoCanceller, to: .string(EchoCanceller.nearend.rawValue))
    Thread.sleep(forTimeInterval: 0.5)
    memory.sample(at: now)
    try service.set(.echoCanceller, to: canceller)
  }

  // MARK: Facts

  /// Checks that the sound is complete, with only the room left and nothing switched off.
  private func comeToRest() throws {
    removeGuests()
    service.perform(.set(.bypassVoiceProcessing, false))
    service.perform(.set(.microphoneMuted, false))
    for component in ProcessingComponent.allCases { service.perform(.set(component.setting, true)) }
    for setting in SoakSchedule.switches { try service.set(setting, to: .bool(false)) }
    try session.force(quantum: 0)
    try waitForAudio("at the end", within: 15)
    try waitFor("the last application audio to be played") { _ in appAudio.isQuiet }
  }

  private func check() {
    expect(identity.drainChanges())
    expect(guests.account.differences(from: service))
    expect(appAudio.drainDifferences())
    checkFigures()
  }
}
