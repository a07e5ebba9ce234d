import Foundation
import SimulatedHardware

/// A fresh private session with simulated hardware, in which peers run as separate processes.
final class PeerSession {
  let session: PrivateSession
  private(set) var processes: [String: ChildProcess] = [:]

  /// - Parameter quantum: forced upon the graph unrounded, even if it is not a power of two.
  init(clock: SessionConfiguration.Clock, quantum: Int) throws {
    var configuration = SessionConfiguration()
    configuration.clock = clock
    configuration.quantum = quantum
    configuration.runsPulse = false
    // PipeWire 0.3 rounds even a forced quantum.
    configuration.fragments["exact-quantum"] = "context.properties = { clock.power-of-two-quantum = false }\n"
    session = try PrivateSession(configuration)
  }

  deinit { session.end() }

  /// Starts a peer and waits for its ports.
  func start(_ peer: Peer) throws {
    var arguments = peer.arguments
    if arguments.last == Peer.echoCancelFile {
      arguments[arguments.count - 1] = "\(session.path)/\(Peer.echoCancelFile)"
      try Peer.echoCancelConfiguration.write(toFile: arguments[arguments.count - 1], atomically: false, encoding: .utf8)
    }
    processes[peer.name] = try session.spawn(peer.program, arguments)
    try session.wait(forPorts: [peer.microphone, peer.voice, peer.farEnd, peer.speaker.left, peer.speaker.right])
    guard !peer.linksItself else { return }
    for (from, to) in links(peer) { try link(from, to) }
  }

  /// As above, with other arguments, and in a terminal.
  func start(_ peer: Peer, _ arguments: [String], in terminal: DrainedTerminal) throws {
    processes[peer.name] = try session.spawn(
      "env", ["TERM=xterm-256color", "LC_ALL=C.UTF-8", peer.program] + arguments, terminal: terminal.near)
    try session.wait(forPorts: [peer.microphone, peer.voice, peer.farEnd, peer.speaker.left, peer.speaker.right])
  }

  /// Makes a link and waits until it exists. It need not be active: an unused stream idles, and so do its links.
  func link(_ from: String, _ to: String) throws {
    try session.wait(forPorts: [from, to])
    try session.wait(for: "the link \(from) → \(to)") {
      if try session.links()[PrivateSession.Link(from: from, to: to)] != nil { return true }
      _ = try session.run("pw-link", from, to)
      return false
    }
  }

  /// Waits until a peer that links itself has done so.
  func waitForLinks(_ peer: Peer) throws {
    let wanted = Set(links(peer).map { PrivateSession.Link(from: $0, to: $1) })
    try session.wait(for: "the links of \(peer.name)") { wanted.isSubset(of: try session.links().keys) }
  }

  private func links(_ peer: Peer) -> [(String, String)] {
    [
      ("hw.mic:capture_MONO", peer.microphone), (peer.speaker.left, "hw.speaker:playback_FL"),
      (peer.speaker.right, "hw.speaker:playback_FR"),
    ]
  }

  func pid(_ peer: Peer) throws -> Int32 {
    guard let process = processes[peer.name], process.isRunning else { throw BenchError("\(peer.name) has ended") }
    return process.pid
  }

  /// Runs a probe that plays into the microphone and from the far end, and records the results and both inputs: the ports `voice`,
  /// `speaker`, `microphone` and `far`.
  func call(_ name: String, through peer: Peer, microphone: [Float]?, far: [Float]?, frames: Int) throws -> GraphProbe {
    var played: [String: [Float]] = [:]
    played["microphone"] = microphone
    played["far"] = far
    let recorded = (microphone == nil ? [] : ["voice", "microphone"]) + (far == nil ? [] : ["speaker", "far"])
    let probe = try GraphProbe(socket: session.socket, name: name, play: played, record: recorded, frames: frames)
    if microphone != nil {
      try link(probe.playPort("microphone"), "hw.mic:input_MONO")
      try link(probe.playPort("microphone"), probe.recordPort("microphone"))
      try link(peer.voice, probe.recordPort("voice"))
    }
    if far != nil {
      try link(probe.playPort("far"), peer.farEnd)
      try link(probe.playPort("far"), probe.recordPort("far"))
      try link(peer.speaker.left, probe.recordPort("speaker"))
    }
    if microphone != nil { try waitForLinks(peer) }
    // Links become active some cycles after they exist.
    Thread.sleep(forTimeInterval: 0.5)
    return probe
  }

  /// Runs an idle-priority loop on every core, so that no core sleeps between cycles, and everything else runs at once. Ends with the
  /// session.
  func keepCoresAwake() throws {
    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
      _ = try session.spawn("chrt", ["--idle", "0", "sh", "-c", "while :; do :; done"])
    }
  }

  /// Runs two loops that take all the processor time they can get.
  func burden() throws -> [ChildProcess] { try (0..<2).map { _ in try session.spawn("sh", ["-c", "while :; do :; done"]) } }
}

/// Speech of the near and the far end, 48 kHz.
struct Talk {
  static let rate = 48_000
  let near: [Float]
  let far: [Float]

  init() throws {
    near = try Speech(.nearEnd, rate: Self.rate).samples
    far = try Speech(Voice.farEnd[0], rate: Self.rate).samples
  }

  static func repeated(_ signal: [Float], frames: Int) -> [Float] { (0..<frames).map { signal[$0 % signal.count] } }

  /// Returns both talking at once, with the far end's echo at the microphone.
  func double(seconds: Double) -> (microphone: [Float], far: [Float]) {
    let frames = Int(seconds * Double(Self.rate))
    let far = Self.repeated(self.far, frames: frames)
    let (delay, gain): (Int, Float) = (960, 0.5)
    let microphone = (0..<frames).map { near[$0 % near.count] + ($0 < delay ? 0 : gain * far[$0 - delay]) }
    return (microphone, far)
  }
}
