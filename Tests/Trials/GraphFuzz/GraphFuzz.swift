import ArgumentParser
import Border
import DashboardView
import Doctor
import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import SimulatedHardware
import Synchronization

/// Runs hostile clients in a private PipeWire session: malformed, truncated and wrongly sized pods in every param that nearend reads,
/// infinite, negative and NaN values, names of control characters and of 64 KiB, cards, nodes, links and metadata that come and go in the
/// middle of everything, and cards whose program stops answering. Fails if nearend hangs, takes memory without bound, shows an absurd
/// volume, writes control sequences, or can no longer run a call; a crash, or the address sanitizer, ends the program.
struct GraphFuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz-graph", abstract: "Hostile clients of the daemon.")

  @OptionGroup var options: FuzzOptions
  @Option(help: ArgumentHelp("Be a hostile client of the daemon at this socket, until it ends.", visibility: .hidden))
  var hostile: String?
  @Option(help: ArgumentHelp("Write there what the hostile client does, a line for each act.", visibility: .hidden))
  var diary: String?

  /// Bytes that a daemon may hold: WirePlumber 0.4 releases little of what hostile clients make it allocate.
  private static let memory = 2 << 30
  /// Bytes that this process may hold, including some hundred MiB of freed memory that the address sanitizer quarantines.
  private static let ownMemory = 3 << 29
  /// Seconds to wait for an answer from nearend.
  private static let patience = 30.0

  func run() throws {
    if let hostile { return attack(hostile) }
    let (seconds, seed) = (self.options.seconds, self.options.seed)
    say("fuzz-graph: \(seconds) s, seed \(seed)")
    var configuration = SessionConfiguration()
    configuration.runsPulse = false
    configuration.timeout = 60
    let session = try PrivateSession(configuration)
    defer { session.end() }
    var options = GraphOptions(remote: session.socket)
    options.interruptions.systemBus = .none
    options.stateFolder = "\(session.path)/state/nearend"
    let remarks = Remarks()
    let service = try NearendService(
      NearendOptions(graph: options), events: EventBus { if case .log(let entry) = $0 { remarks.add(entry) } })
    try service.start()
    defer { service.stop() }
    _ = service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
    let watch = Watch(patience: Self.patience, seed: seed)
    let witness = try VolumeWitness(socket: session.socket)

    var generator = SeededGenerator(seed: seed)
    var clients: [ChildProcess] = []
    var tally: [String: Int] = [:]
    let diary = "\(session.path)/diary"
    var round = 0
    let began = ContinuousClock.now
    while ContinuousClock.now - began < .seconds(seconds) {
      round += 1
      watch.round(round)
      // Clients are separate processes, because their own requests may crash them, too.
      tally["clients crashed", default: 0] += clients.count { $0.exit.map { $0 != .status(0) } ?? false }
      clients.removeAll { !$0.isRunning }
      while clients.count < 4 {
        clients.append(
          try session.spawn(
            Trials.program,
            ["fuzz-graph", "--hostile", session.socket, "--diary", diary, "--seed", "\(seed &+ UInt64(tally["clients", default: 0]))"]))
        tally["clients", default: 0] += 1
      }
      if Int.random(in: 0..<20, using: &generator) == 0, !clients.isEmpty {
        clients.remove(at: .random(in: 0..<clients.count, using: &generator)).end(grace: 0)
      }
      own(service, &generator)
      usleep(UInt32.random(in: 0...30_000, using: &generator))
      witness.connectIfNeeded()
      if let volumes = witness.absurdVolumes { throw failure(round, "volumes of \(volumes)") }
      if Int.random(in: 0..<256, using: &generator) == 0 { try examine(session, round, &tally) }
      try examine(service, remarks, round, &tally)
      // Others read malformed pods, too: a daemon or a session manager that crashes is started again.
      for daemon in [PrivateSession.Daemon.pipewire, .wireplumber] {
        if !session.isRunning(daemon) {
          tally["\(daemon) ended by itself", default: 0] += 1
        } else if round % 20 == 0, let process = session.process(of: daemon), residentBytes(ofProcess: process.pid) > Self.memory {
          tally["\(daemon) took 2 GiB", default: 0] += 1
        } else if daemon == .wireplumber, round % 500 == 0 {
          // The daemon sends a client nothing more once that has asked a card which then vanished or never answered.
          tally["wireplumber started again", default: 0] += 1
          for client in clients { client.end(grace: 0) }
          clients = []
          session.stop(.wireplumber)
          try session.start()
          continue
        } else {
          continue
        }
        for client in clients { client.end(grace: 0) }
        clients = []
        session.stop(.pipewire)
        try session.start()
      }
    }
    for client in clients { client.end(grace: 0) }
    watch.round(round + 1)
    // This session may be in any state by now; nearend must be usable in a new one, with its microphone open.
    service.perform(.set(.microphoneMuted, .bool(false)))
    _ = service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
    session.stop(.pipewire)
    try session.start()
    try session.wait(for: "nearend to run a call in a new daemon") {
      let snapshot = service.snapshot()
      return snapshot.graph.isConnected && snapshot.graph.captureLinks == 1 && snapshot.graph.renderLinks == 2
    }
    watch.end()
    let (heard, accepted) = witness.counts
    tally["connections of nearend's"] = witness.nearendConnections
    let acts = (try? String(contentsOfFile: diary, encoding: .utf8)) ?? ""
    let done = acts.split(separator: "\n").reduce(into: [:]) { $0[$1, default: 0] += 1 }
    for (act, count) in done.sorted(by: { $0.key < $1.key }) { say("  \(act): \(count)") }
    say("fuzz-graph: \(round) rounds; \(tally.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))")
    say("fuzz-graph: \(heard) Props of hostile nodes came; nearend's reader found volumes in \(accepted), and refused the others")
    say("fuzz-graph: nothing to complain of")
  }

  /// Runs a client that does one thing after another, in the order given by its seed.
  private func attack(_ socket: String) {
    guard let client = HostileClient(socket: socket) else { return }
    var generator = SeededGenerator(seed: options.seed)
    let diary = diary.map { open($0, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600) }
    while client.isConnected {
      let act = client.act(&generator)
      if let diary { _ = "\(act)\n".withCString { write(diary, $0, strlen($0)) } }
      if act == HostileClient.hungAndGone { _exit(0) }
      usleep(UInt32.random(in: 0...30_000, using: &generator))
    }
  }

  /// Uses nearend meanwhile, as its user would.
  private func own(_ service: NearendService, _ generator: inout SeededGenerator) {
    switch Int.random(in: 0..<16, using: &generator) {
    case 0: try? service.addGraphSink(id: "alice")
    case 1: service.removeSink(id: "alice")
    case 2: service.perform(.set(.defaultDevices, .bool(.random(using: &generator))))
    case 3:
      let device = ["", "", "hostile.speaker", HostilePod.text(&generator)].randomElement(using: &generator) ?? ""
      service.perform(.set(.speaker, .string(device)))
    case 7:
      let device = ["", "", "hostile.microphone", HostilePod.text(&generator)].randomElement(using: &generator) ?? ""
      service.perform(.set(.microphone, .string(device)))
    case 4: service.perform(.set(.microphoneMuteMode, "restart"))
    case 5: service.perform(.set(.microphoneMuted, .bool(.random(using: &generator))))
    case 6: try? service.set(.duckingLevel, to: .string("max"))
    case 8: _ = service.session.send(.unregisterMedia(id: "call"))
    case 9, 10, 11: _ = service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
    default: break
    }
  }

  /// Surveys the daemon as `nearend doctor` does, which also reads the metadata "settings".
  private func examine(_ session: PrivateSession, _ round: Int, _ tally: inout [String: Int]) throws {
    guard let survey = try? GraphSurvey.query(remote: session.socket) else { return }
    tally["surveys", default: 0] += 1
    let names =
      survey.nodes.flatMap { [$0.name, $0.description, $0.application] } + [survey.defaultSink ?? "", survey.defaultSource ?? ""]
    guard let name = names.first(where: { $0.printable() != $0 }) else { return }
    throw failure(round, "the doctor's \(name.debugDescription) is not printable")
  }

  private func failure(_ round: Int, _ reason: String) -> ExitCode {
    say("fuzz-graph: FAILED: round \(round): \(reason)")
    return .failure
  }

  /// Counts which of the hostile clients' volumes reached nearend, and checks that they became plausible ones.
  private func count(_ snapshot: Snapshot, _ round: Int, _ tally: inout [String: Int]) throws {
    if snapshot.ducking.isActive { tally["rounds in a call", default: 0] += 1 }
    if !snapshot.ducking.streams.isEmpty { tally["rounds with streams lowered", default: 0] += 1 }
    let volumes = snapshot.route.volumes
    for (device, name, volume) in [
      (snapshot.route.speaker, "hostile.speaker", volumes.speaker), (snapshot.route.microphone, "hostile.microphone", volumes.microphone),
    ] where device?.name == name {
      tally["rounds with \(name)", default: 0] += 1
      if volume != VolumeStatus() { tally["rounds with \(name)'s volume", default: 0] += 1 }
    }
    for volume in [volumes.speaker, volumes.microphone, volumes.nearendSpeaker, volumes.nearendMicrophone].map(\.volume)
    where !(0...cbrt(100) + 0.01).contains(volume) {
      throw failure(round, "a volume of \(volume)")
    }
    let memory = residentBytes(ofProcess: getpid())
    tally["MiB", default: 0] = max(tally["MiB", default: 0], memory >> 20)
    if memory > Self.ownMemory { throw failure(round, "this process holds \(memory >> 20) MiB") }
  }

  /// Reads everything that displays data of other processes.
  private func examine(_ service: NearendService, _ remarks: Remarks, _ round: Int, _ tally: inout [String: Int]) throws {
    let snapshot = service.snapshot()
    try count(snapshot, round, &tally)
    for page in Page.allCases {
      var state = ViewState(glyphs: round % 2 == 0 ? .unicode : .ascii)
      state.page = page
      _ = Frame(drawing: snapshot, size: Size(width: 100, height: 30), state: state)
    }
    let texts = [service.diagnostics(), service.metrics(), service.telemetryJSON() ?? "", snapshot.json()] + remarks.all
    for text in texts where text.printableLines(atMost: .max) != text {
      let clean = text.printableLines(atMost: .max)
      let same = zip(text.unicodeScalars, clean.unicodeScalars).prefix { $0 == $1 }.count
      let around = String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(max(0, same - 300)).prefix(400)))
      throw failure(round, "not printable, after \(same) characters: \(around.debugDescription)")
    }
    let names =
      snapshot.route.devices.flatMap { [$0.name, $0.description, $0.portDescription] } + snapshot.session.sendMedia
      + snapshot.session.receiveMedia
    if let long = names.first(where: { $0.unicodeScalars.count > String.longestName + 16 }) {
      throw failure(round, "a name of \(long.unicodeScalars.count) characters")
    }
  }
}

/// nearend's log entries since the last check.
private final class Remarks: Sendable {
  private let texts = Mutex<[String]>([])

  func add(_ entry: LogEntry) { texts.withLock { $0.append(entry.message) } }

  var all: [String] {
    texts.withLock { texts in
      defer { texts = [] }
      return texts
    }
  }
}

/// Ends the process if a round hangs.
private final class Watch: Sendable {
  private let state: Mutex<(round: Int, since: ContinuousClock.Instant, isOver: Bool)>

  init(patience: Double, seed: UInt64) {
    state = Mutex((0, .now, false))
    Thread.detachNewThread { [self] in
      while true {
        usleep(500_000)
        let (round, since, isOver) = state.withLock { $0 }
        if isOver { return }
        // Restarting a daemon takes a while.
        guard ContinuousClock.now - since > .seconds(4 * patience) else { continue }
        say("fuzz-graph: FAILED: round \(round) of seed \(seed) hangs")
        abort()
      }
    }
  }

  func round(_ number: Int) { state.withLock { $0 = (number, .now, false) } }
  func end() { state.withLock { $0.isOver = true } }
}
