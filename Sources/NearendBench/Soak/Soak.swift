import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import SimulatedHardware

/// One soak: the service in this process, everything around it in processes of its own.
final class Soak {
  private let seconds: Double
  private var random: SeededGenerator
  private let session: PrivateSession
  private let service: NearendService
  private var room: RoomProcess?
  private var guests: SoakGuests
  private var events: [String: Int] = [:]
  private var failures: [String] = []
  private var memory = MemoryWatch()
  private var lastCycles: UInt64 = 0
  private var nextRestart: Double
  private let begin = monotonicSeconds()

  /// Seconds between restarts of a daemon, on average.
  private static let restartInterval = 60.0

  init(seed: UInt64, seconds: Double) throws {
    self.seconds = seconds
    random = SeededGenerator(seed: seed)
    session = try PrivateSession()
    service = try NearendService(NearendOptions(graph: GraphOptions(remote: session.socket)))
    guests = SoakGuests(session: session, service: service, seed: seed)
    nextRestart = Self.restartInterval / 2
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

  private var elapsed: Double { monotonicSeconds() - begin }

  /// What was not as it must be; empty where all was well.
  func run() throws -> [String] {
    try waitForAudio("at the start", within: 15)
    var nextMeasurement = 0.0
    while elapsed < seconds {
      if elapsed > nextMeasurement {
        nextMeasurement = elapsed + seconds / Double(MemoryWatch.samples)
        measureMemory()
      }
      try event()
      Thread.sleep(forTimeInterval: Double(random.next() % 800) / 1_000)
      check()
    }
    measureMemory()
    try rest()
    let snapshot = service.snapshot()
    report(
      "\(events.values.reduce(0, +)) events: "
        + events.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", "))
    report("\(snapshot.graph.cycles) cycles in the last graph's counting, \(snapshot.graph.xruns) xruns; \(memory.description)")
    report("resident MiB with nobody there, in order: \(memory.course)")
    if let failure = memory.failure { failures.append(failure) }
    if let failure = guests.failure { failures.append(failure) }
    return failures
  }

  // MARK: Events

  private func event() throws {
    if elapsed > nextRestart, seconds - elapsed > 15 {
      nextRestart = elapsed + Self.restartInterval * (0.5 + Double(random.next() % 1_000) / 1_000)
      return try restartDaemon()
    }
    switch random.next() % 10 {
    case 0...3: toggle()
    case 4: count(guests.ringSink(&random))
    case 5: count(guests.graphSink(&random))
    case 6: count(try guests.player(&random))
    case 7: count(try guests.recorder(&random))
    case 8: count(guests.sinkSetting(&random))
    default:
      let quantum = [0, 64, 128, 256, 512, 1_024, 2_048][Int(random.next() % 7)]
      try session.force(quantum: quantum)
      count("quantum")
    }
  }

  private func toggle() {
    let on = random.next() % 2 == 0
    switch random.next() % 4 {
    case 0: service.perform(.setBypass(on))
    case 1: service.perform(.setMicrophoneMuted(on))
    case 2: service.perform(.clearCounters)
    default:
      let components = ProcessingComponent.allCases
      service.perform(.setComponent(components[Int(random.next() % UInt64(components.count))], on))
    }
    count("toggle")
  }

  private func restartDaemon() throws {
    let daemon: PrivateSession.Daemon = random.next() % 3 == 0 ? .wireplumber : .pipewire
    let signal = random.next() % 2 == 0 ? SIGKILL : SIGTERM
    // Clients of a daemon that goes away end with it; they are no part of what is tested.
    if daemon == .pipewire { guests.endClients() }
    try session.restart(daemon, with: signal)
    count("\(daemon.rawValue) restart")
    try waitForAudio("after a restart of \(daemon.rawValue)", within: 15)
  }

  private func count(_ event: String?) { if let event { events[event, default: 0] += 1 } }

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
    let deadline = monotonicSeconds() + limit + 30
    let start = monotonicSeconds()
    while monotonicSeconds() < deadline, !(renders && captures) {
      _ = tone.withUnsafeBytes { sink.write($0) }
      Thread.sleep(forTimeInterval: 0.018)
      let snapshot = service.snapshot()
      renders = renders || snapshot.processing.speakerLevel > -40
      // The room's own measure: silence in the script is none at the output.
      captures = captures || (room?.report?.outputLevel ?? -120) > -50
      // Somebody talks at least every 24 s; what nearend itself has to do is done sooner.
      if monotonicSeconds() - start > limit, !renders || snapshot.session.sendMedia.isEmpty { break }
    }
    if !renders { failures.append("\(when): no sound reaches the speaker within \(limit) s, \(number(elapsed, 0)) s after the start") }
    if !captures {
      let (snapshot, heard) = (service.snapshot(), room?.report)
      failures.append(
        "\(when): no voice leaves the virtual microphone, \(number(elapsed, 0)) s after the start; microphone "
          + "\(number(snapshot.processing.microphoneLevel)) dBFS, voice \(number(snapshot.processing.voiceLevel)) dBFS, "
          + "\(snapshot.graph.captureLinks) links from the microphone, \(snapshot.session.sendMedia) record; "
          + "the room says \(heard.map { "\($0)" } ?? "nothing")")
    }
  }

  /// Participants hold seconds of speech in this process: memory is compared while nobody is there.
  private func measureMemory() {
    guests.removeAll()
    Thread.sleep(forTimeInterval: 0.3)
    memory.sample(at: elapsed)
  }

  private func check() {
    let snapshot = service.snapshot()
    func expect(_ holds: Bool, _ what: @autoclosure () -> String) {
      if !holds { failures.append("\(what()), \(number(elapsed, 0)) s after the start") }
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
