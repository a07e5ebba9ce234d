import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import SimulatedHardware

/// One machine of the intercom: a whole session with a room, a talker in it, and nearend in a call.
struct Side {
  /// The state of a side, noted once a second.
  struct Moment: Codable {
    /// Seconds since the epoch.
    var seconds: Double
    var remote: RemoteStatus
    var underruns: UInt64
    var drops: UInt64
    var driftPPM: Double
    var canceller: Canceller
  }
  /// The canceller's readings, to find out why the other side heard itself.
  struct Canceller: Codable {
    var erle: Double?
    /// Milliseconds.
    var echoDelay: Double?
    var microphoneLevel: Double
    var referenceLevel: Double
    var xruns: UInt64
  }
  /// A recording of nearend's output and of the speaker, in files of Float.
  struct Recording: Codable {
    /// The time of the first sample, in seconds since the epoch.
    var begin: Double
    var voice: String
    var speaker: String
    var isExact: Bool
  }
  struct Report: Codable {
    var moments: [Moment] = []
    var recordings: [Recording] = []
    var xruns: UInt64 = 0
  }

  var name: String
  var peer: String
  var folder: String
  var seconds: Double

  /// Seconds by which the second talker starts later, so that each round has each alone, both at once, and neither.
  static let shift = 7.5

  /// The seed of a side's room and conversation.
  private static func seed(_ name: String) -> UInt64 { name == "a" ? 1 : 2 }

  /// Who talks when in the room of a side, in seconds since the epoch.
  static func talk(of name: String, at time: Double) -> Range<Double>? {
    let later = name == "a" ? 0 : shift
    return Conversation(seed: seed(name)).nearEndTalk(at: time - later).map { $0.lowerBound + later..<$0.upperBound + later }
  }

  /// The times of recordings, in seconds since the epoch.
  static func windows(_ seconds: Double) -> [Range<Double>] {
    // After the first round, in which each canceller hears the other's voice for the first time.
    guard seconds >= 240 else { return [24..<seconds] }
    let middle = (seconds / 48).rounded(.down) * 24
    return [24..<72, middle..<middle + 48, seconds - 48..<seconds]
  }

  func run() throws {
    var configuration = SessionConfiguration()
    configuration.runsPulse = false
    let session = try PrivateSession(configuration)
    defer { session.end() }
    var options = GraphOptions(remote: session.socket)
    options.stateFolder = "\(session.path)/state/nearend"
    options.interruptions.systemBus = .none
    let events = EventBus { [name] in
      if case .log(let entry) = $0 { FileHandle.standardError.write(Data("\(name): \(entry.message)\n".utf8)) }
    }
    let service = try NearendService(NearendOptions(graph: options), events: events)
    try service.start()
    defer { service.stop() }
    say("ready")
    guard let line = readLine(), let epoch = Double(line) else { throw Failure("nobody has told when the call begins") }
    // Ends with the process that started it.
    Thread.detachNewThread {
      while readLine() != nil {}
      exit(1)
    }
    var place = RoomOptions(socket: session.socket, epoch: epoch + (name == "a" ? 0 : Self.shift))
    place.cache = Speech.defaultCache
    place.seed = Self.seed(name)
    let room = try Room(place)
    try room.start()
    defer { room.stop() }
    try session.wait(for: "the room") { room.report.isLinked }
    let call = try service.call(peer)
    var report = Report()
    for (index, window) in Self.windows(seconds).enumerated() {
      while monotonicSeconds() < epoch + window.lowerBound { note(service, call, epoch, &report) }
      report.recordings.append(try record(session, service, call, index, window, epoch, &report))
    }
    report.xruns = service.snapshot().graph.xruns
    try JSONEncoder().encode(report).write(to: URL(fileURLWithPath: "\(folder)/\(name).json"))
  }

  /// Notes the state, and waits until a second has passed.
  private func note(_ service: NearendService, _ call: String, _ epoch: Double, _ report: inout Report) {
    let now = service.snapshot()
    if let sink = now.sinks.first(where: { $0.id == call }), let remote = sink.remote {
      let canceller = Canceller(
        erle: now.processing.erle, echoDelay: now.processing.echoDelay, microphoneLevel: now.processing.microphoneLevel,
        referenceLevel: now.processing.referenceLevel, xruns: now.graph.xruns)
      report.moments.append(
        Moment(
          seconds: monotonicSeconds() - epoch, remote: remote, underruns: sink.totalUnderruns, drops: sink.totalDrops,
          driftPPM: sink.driftPPM, canceller: canceller))
    }
    usleep(500_000)
  }

  private func record(
    _ session: PrivateSession, _ service: NearendService, _ call: String, _ index: Int, _ window: Range<Double>, _ epoch: Double,
    _ report: inout Report
  ) throws -> Recording {
    let frames = Int((window.upperBound - window.lowerBound) * 48_000)
    let probe = try GraphProbe(
      socket: session.socket, name: "ear\(index)", play: [:], record: ["voice", "speaker"], frames: frames)
    for (from, to) in [("nearend:voice_MONO", "voice"), ("nearend:speaker_FL", "speaker")] { try session.link(from, probe.recordPort(to)) }
    probe.start()
    // The clock's position changes once a cycle: the smallest difference is measured just after a cycle.
    var begin = Double.infinity
    let until = monotonicSeconds() + window.upperBound - window.lowerBound
    while monotonicSeconds() < until {
      for _ in 0..<50 {
        let elapsed = probe.elapsed
        if elapsed > 0 { begin = min(begin, monotonicSeconds() - epoch - Double(elapsed) / 48_000) }
        usleep(2_000)
      }
      note(service, call, epoch, &report)
    }
    let recording = try probe.finish()
    var paths: [String: String] = [:]
    for port in ["voice", "speaker"] {
      let path = "\(folder)/\(name)-\(index)-\(port)"
      try (recording.samples[port] ?? []).withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: path)) }
      paths[port] = path
    }
    return Recording(begin: begin, voice: paths["voice"] ?? "", speaker: paths["speaker"] ?? "", isExact: recording.isExact)
  }
}
