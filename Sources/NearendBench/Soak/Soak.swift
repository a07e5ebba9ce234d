import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import SimulatedHardware

/// One soak: the service in this process, everything around it in processes of its own.
final class Soak {
  private let schedule: SoakSchedule
  private let session: PrivateSession
  private let service: NearendService
  private var room: RoomProcess?
  private var guests: SoakGuests
  private var events: [String: Int] = [:]
  /// How often a daemon ended that nobody had told to, by its name and how it ended.
  private var crashes: [String: Int] = [:]
  private var failures: [String] = []
  private var memory = MemoryWatch()
  private var lastCycles: UInt64 = 0
  /// The schedule's time, in seconds.
  private var now = 0.0
  private let begin = monotonicSeconds()

  init(seed: UInt64, seconds: Double) throws {
    schedule = SoakSchedule(seed: seed, seconds: seconds)
    session = try PrivateSession()
    service = try NearendService(NearendOptions(graph: GraphOptions(remote: session.socket)))
    guests = SoakGuests(session: session, service: service, seed: seed)
    try service.start()
    var options = RoomOptions(socket: session.socket, epoch: monotonicSeconds() + 1)
    options.isObserving = true
    options.seed = seed
    room = try RoomProcess(in: session, executable: "/proc/self/exe", options: options)
  }

  deinit {
    guests.removeAll()
    room?.end()
    service.stop()
    session.end()
  }

  /// What was not as it must be; empty where all was well.
  func run() throws -> [String] {
    try waitForAudio("at the start", within: 15)
    for (seconds, event) in schedule {
      Thread.sleep(forTimeInterval: seconds - now)
      now = seconds
      check()
      try perform(event)
    }
    measureMemory()
    try recovering { try rest() }
    let snapshot = service.snapshot()
    report("\(events.values.reduce(0, +)) events in \(number(monotonicSeconds() - begin, 0)) s: \(list(events))")
    report(crashes.isEmpty ? "no daemon crashed" : "daemons that crashed by themselves: \(list(crashes))")
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
    case .bypass(let on): service.perform(.setBypass(on))
    case .mute(let on): service.perform(.setMicrophoneMuted(on))
    case .component(let component, let on): service.perform(.setComponent(component, on))
    case .clearCounters: service.perform(.clearCounters)
    case .ringSinkComes(let id, let talker, let rate): try guests.ringSinkComes(id: id, talker: talker, rate: rate)
    case .ringSinkLeaves(let id): guests.ringSinkLeaves(id: id)
    case .deviceComes(let id): try guests.deviceComes(id: id)
    case .deviceLeaves(let id): guests.deviceLeaves(id: id)
    case .playerComes(let id, let target): try guests.playerComes(id: id, target: target)
    case .recorderComes(let id): try guests.recorderComes(id: id)
    case .playerLeaves(let id), .recorderLeaves(let id): guests.clientLeaves(id: id)
    case .sinkMuted(let id, let on): service.perform(.setSinkMuted(id: id, on))
    case .sinkGain(let id, let gain): service.perform(.setSinkGain(id: id, gain))
    case .quantum(let frames): try recovering { try session.force(quantum: frames) }
    case .restart(let daemon, let isKilled):
      try recovering { try restart(daemon, with: isKilled ? SIGKILL : SIGTERM) }
      try waitForAudio("after a restart of \(daemon.rawValue)", within: 15)
    case .measurement: measureMemory()
    }
    if try restartCrashed() { try waitForAudio("after a crash", within: 15) }
  }

  private func restart(_ daemon: PrivateSession.Daemon, with signal: Int32) throws {
    if daemon == .pipewire { guests.endClients() }
    try session.restart(daemon, with: signal)
  }

  // MARK: Daemons that crash by themselves

  /// Does something that needs the daemons, once more where one of them crashed meanwhile.
  private func recovering(_ work: () throws -> Void) throws {
    do { try work() } catch {
      guard try restartCrashed() else { throw error }
      try waitForAudio("after a crash", within: 15)
      try work()
    }
  }

  /// One more fault that nearend must recover from: true where a daemon had ended that nobody had told to.
  private func restartCrashed() throws -> Bool {
    for daemon in [PrivateSession.Daemon.pipewire, .wireplumber, .pulse] {
      guard let exit = session.process(of: daemon)?.exit else { continue }
      crashes["\(daemon.rawValue) (\(exit))", default: 0] += 1
      report("\(daemon.rawValue) ended by itself, \(exit), \(number(now)) s after the start")
      try restart(daemon, with: SIGKILL)
      return true
    }
    return false
  }

  // MARK: Facts

  /// Nobody but the room is left, and nothing is switched off: the sound must be whole.
  private func rest() throws {
    guests.removeAll()
    service.perform(.setBypass(false))
    service.perform(.setMicrophoneMuted(false))
    for component in ProcessingComponent.allCases { service.perform(.setComponent(component, true)) }
    try session.force(quantum: 0)
    try waitForAudio("at the end", within: 15)
  }

  /// The room hears itself through nearend, and far-end sound reaches the speaker.
  private func waitForAudio(_ when: String, within limit: Double) throws {
    let muted = service.snapshot().session.isMicrophoneMuted
    service.perform(.setMicrophoneMuted(false))
    let sink = try service.addRingSink(id: "probe", sampleRate: 48_000, channelCount: 1, bufferSize: 96_000)
    defer {
      service.removeSink(id: "probe")
      service.perform(.setMicrophoneMuted(muted))
    }
    let tone = (0..<960).map { Int16(6_000 * sin(Double($0) * .pi / 24)) }
    var (renders, captures) = (false, false)
    var start = monotonicSeconds()
    while monotonicSeconds() < start + limit + 30, !(renders && captures) {
      _ = tone.withUnsafeBytes { sink.write($0) }
      Thread.sleep(forTimeInterval: 0.018)
      let snapshot = service.snapshot()
      renders = renders || snapshot.processing.speakerLevel > -40
      // The room's own measure: silence in the script is none at the output.
      captures = captures || (room?.report?.outputLevel ?? -120) > -50
      if try restartCrashed() { (start, renders, captures) = (monotonicSeconds(), false, false) }
      // Somebody talks at least every 24 s; what nearend itself has to do is done sooner.
      if monotonicSeconds() - start > limit, !renders || snapshot.session.sendMedia.isEmpty { break }
    }
    if !renders { failures.append("\(when): no sound reaches the speaker within \(limit) s, \(number(now, 0)) s after the start") }
    if !captures {
      let (snapshot, heard) = (service.snapshot(), room?.report)
      failures.append(
        "\(when): no voice leaves the virtual microphone, \(number(now, 0)) s after the start; microphone "
          + "\(number(snapshot.processing.microphoneLevel)) dBFS, voice \(number(snapshot.processing.voiceLevel)) dBFS, "
          + "\(snapshot.graph.captureLinks) links from the microphone, \(snapshot.session.sendMedia) record; "
          + "the room says \(heard.map { "\($0)" } ?? "nothing")")
    }
  }

  /// Participants hold seconds of speech in this process: memory is compared while nobody is there.
  private func measureMemory() {
    guests.removeAll()
    Thread.sleep(forTimeInterval: 0.3)
    memory.sample(at: now)
  }

  private func check() {
    let snapshot = service.snapshot()
    func expect(_ holds: Bool, _ what: @autoclosure () -> String) {
      if !holds { failures.append("\(what()), \(number(now, 0)) s after the start") }
    }
    expect(snapshot.graph.cycles >= lastCycles, "the count of cycles fell from \(lastCycles) to \(snapshot.graph.cycles)")
    lastCycles = snapshot.graph.cycles
    expect(snapshot.graph.xruns <= snapshot.graph.cycles, "\(snapshot.graph.xruns) xruns in \(snapshot.graph.cycles) cycles")
    expect((0...1.5).contains(snapshot.graph.busyRatio), "busy ratio \(snapshot.graph.busyRatio)")
    expect(snapshot.sinks.count == guests.sinkCount, "\(snapshot.sinks.count) sinks where there should be \(guests.sinkCount)")
    for sink in snapshot.sinks {
      expect(
        (0...sink.capacityBytes).contains(sink.fillBytes) || sink.kind == .graph,
        "sink \(sink.id): \(sink.fillBytes) bytes of \(sink.capacityBytes)")
      expect(sink.framesRead <= sink.framesWritten + 64, "sink \(sink.id) read \(sink.framesRead) frames of \(sink.framesWritten)")
    }
    for level in [snapshot.processing.voiceLevel, snapshot.processing.speakerLevel, snapshot.processing.microphoneLevel] {
      expect(level.isFinite && level <= 20, "a level of \(level) dBFS")
    }
  }
}
