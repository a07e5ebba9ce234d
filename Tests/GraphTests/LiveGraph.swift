import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import Synchronization
import Testing

@testable import SimulatedHardware

/// A private session with nearend in it. The session is kept for the next test of the same kind; nearend is not.
final class LiveGraph {
  /// The kind of a session.
  enum Kind: Hashable {
    /// Exact to the sample, four times real time; any quantum can be forced.
    case exact
    /// As `exact`, with PulseAudio's server.
    case exactPulse
    /// Driven by the speaker in real time, like a real machine; PipeWire's own choice of quantum.
    case hardware
    /// As `exact`, with a microphone "hw.array" of four channels, preferred to "hw.mic".
    case array
    /// As `hardware`, with a second speaker "hw.second" of lower priority.
    case twoSpeakers
    /// As `hardware`, with a login manager on a system bus.
    case login
    /// A desk with these cards, in real time; each test has its own.
    case desk([DeskCard.Kind])
    /// As `desk`, with a login manager on a system bus.
    case seatedDesk([DeskCard.Kind])
    /// As `desk`, on the clock of `exact`.
    case exactDesk([DeskCard.Kind])

    fileprivate var isDesk: Bool {
      switch self {
      case .desk, .seatedDesk, .exactDesk: true
      default: false
      }
    }
  }

  let session: PrivateSession
  let service: NearendService

  private static let kept = Mutex<(kind: Kind, session: PrivateSession)?>(nil)

  /// Returns a session of this kind, without nearend; ends the previous one if it was of another kind.
  static func session(_ kind: Kind) throws -> PrivateSession {
    try kept.withLock { kept in
      if kind.isDesk {
        kept?.session.end()
        kept = nil
        return try PrivateSession(configuration(kind))
      }
      if let kept, kept.kind == kind, kept.session.isComplete { return kept.session }
      kept?.session.end()
      kept = nil
      let session = try PrivateSession(configuration(kind))
      kept = (kind, session)
      return session
    }
  }

  /// Returns a session like `hardware`, without PulseAudio's server, for this test alone. The caller ends it.
  static func ownSession() throws -> PrivateSession {
    var configuration = SessionConfiguration()
    configuration.runsPulse = false
    return try PrivateSession(configuration)
  }

  /// Starts a simulated room of low noise around the devices, and waits until it is linked to them. The caller stops it.
  func startRoom() throws -> Room {
    var options = RoomOptions(socket: session.socket, epoch: monotonicSeconds() + 10_000)
    options.noise = -75
    let room = try Room(options)
    try room.start()
    do {
      try session.wait(for: "the room's links") { room.report.isLinked }
    } catch {
      room.stop()
      throw error
    }
    return room
  }

  private static func configuration(_ kind: Kind) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    switch kind {
    case .exact, .exactPulse, .array:
      configuration.clock = .patient(speed: 4)
      configuration.quantum = 480
      configuration.runsPulse = kind == .exactPulse
      guard case .array = kind else { break }
      configuration.devices.append(
        SimulatedDevice(.array(channels: 4), name: "hw.array", description: "Simulated Array", priority: 3000))
    case .hardware: break
    case .login: configuration.hasLoginManager = true
    case .desk(let cards), .seatedDesk(let cards), .exactDesk(let cards):
      configuration.desk = cards.map { DeskCard.make($0) }
      configuration.runsPulse = false
      if case .seatedDesk = kind { configuration.hasLoginManager = true }
      if case .exactDesk = kind {
        configuration.clock = .patient(speed: 4)
        configuration.quantum = 480
      }
    case .twoSpeakers:
      configuration.devices.append(SimulatedDevice(.speaker, name: "hw.second", description: "Second Speaker", priority: 900))
    }
    return configuration
  }

  /// Starts nearend in a session of this kind, and waits until its devices are linked to it.
  /// - Parameter session: the session to use; nil for one of the kind.
  init(
    _ kind: Kind, in session: PrivateSession? = nil, quantum: Int? = nil, usesVoiceProcessing: Bool = true, captureChannels: Int = 1,
    isManual: Bool = false, _ change: (inout GraphOptions) -> Void = { _ in }
  ) throws {
    let session = try session ?? Self.session(kind)
    self.session = session
    if let quantum { try session.force(quantum: quantum) }
    var options = GraphOptions(remote: session.socket)
    options.stateFolder = "\(session.path)/state/nearend"
    // Never the machine's own login manager.
    options.interruptions.systemBus = session.configuration.hasLoginManager ? .address("unix:path=\(session.path)/system-bus") : .none
    change(&options)
    var settings = SessionSettings()
    settings.usesVoiceProcessing = usesVoiceProcessing
    settings.isManual = isManual
    settings.captureChannelCount = captureChannels
    service = try NearendService(NearendOptions(graph: options, session: settings))
    try service.start()
    try wait(forLinks: captureChannels == 1 ? Self.fixedLinks : Self.speakerSideLinks + Self.stereoVoiceLinks)
  }

  /// Leaves the graph, and waits until nothing of nearend is in it. Call it at the end of every test.
  func stop() {
    service.stop()
    do {
      try session.wait(for: "nearend to be gone") { try GraphDump(session).ourNodes.isEmpty }
      // Told by the test that a daemon died in, not by the next one.
      try session.checkDaemons("at the end of the test")
    } catch {
      Issue.record(error)
    }
  }

  /// Whether the daemon revives the links of a suspended device by itself, so that nearend keeps them.
  var revivesLinks: Bool { service.snapshot().graph.daemonVersion.compare("1.4", options: .numeric) != .orderedAscending }

  /// The links that exist as long as nearend does.
  static let fixedLinks = speakerSideLinks + [("nearend:voice_MONO", "nearend.microphone:input_MONO")]
  private static let speakerSideLinks: [(String, String)] = [
    ("nearend.speaker:monitor_FL", "nearend:call_FL"), ("nearend.speaker:monitor_FR", "nearend:call_FR"),
  ]
  /// Those of a voice in stereo to *Nearend Microphone*.
  static let stereoVoiceLinks: [(String, String)] = [
    ("nearend:voice_FL", "nearend.microphone:input_FL"), ("nearend:voice_FR", "nearend.microphone:input_FR"),
  ]
  /// The links that exist while somebody plays.
  static let speakerLinks: [(String, String)] = [
    ("nearend:speaker_FL", "hw.speaker:playback_FL"), ("nearend:speaker_FR", "hw.speaker:playback_FR"),
  ]
  static let captureLink = ("hw.mic:capture_MONO", "nearend:mic_MONO")
  static let referenceLinks: [(String, String)] = [
    ("hw.speaker:monitor_FL", "nearend:ref_FL"), ("hw.speaker:monitor_FR", "nearend:ref_FR"),
  ]

  /// Makes missing links, and waits until audio can pass.
  func link(_ pairs: [(String, String)]) throws {
    try session.wait(forPorts: pairs.flatMap { [$0.0, $0.1] })
    for (from, to) in pairs { _ = try session.run("pw-link", from, to) }
    try wait(forActive: pairs)
  }

  func wait(forLinks pairs: [(String, String)]) throws {
    try session.wait(for: "the links \(pairs)") {
      let links = try session.links()
      return pairs.allSatisfy { links[.init(from: $0.0, to: $0.1)] != nil }
    }
  }

  /// Waits until the links exist and their nodes run.
  func wait(forActive pairs: [(String, String)]) throws {
    var missing: [String] = []
    try session.wait(for: "links to be active", detail: { missing.joined(separator: ", ") }) {
      let links = try session.links()
      missing = pairs.compactMap { from, to in
        let state = links[.init(from: from, to: to)]
        return state == "active" ? nil : "\(from) → \(to) is \(state ?? "not there")"
      }
      return missing.isEmpty
    }
  }

  /// Waits for a fact in nearend's own snapshot.
  func wait(for what: String, _ fact: (Snapshot) throws -> Bool) throws {
    try session.wait(for: what) { try fact(service.snapshot()) }
  }

  func probe(
    _ name: String = "probe", play: [String: [Float]] = [:], record: [String], frames: Int, runsUnlinked: Bool = true
  ) throws -> GraphProbe {
    try GraphProbe(socket: session.socket, name: name, play: play, record: record, frames: frames, runsUnlinked: runsUnlinked)
  }
}
