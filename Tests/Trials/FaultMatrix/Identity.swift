import Foundation
import SimulatedHardware

/// Checks that applications notice nothing: `parec` from *Nearend Microphone* and `pacat` into *Nearend Speaker*, started before the first
/// fault, are the same streams after all faults that leave PipeWire, WirePlumber and the PulseAudio server alive, and after WirePlumber is
/// then killed; clients of a daemon end with it. After each of those faults they are linked with nearend's devices only. So are programs
/// that choose no device, where the session manager understands smart filters.
enum Identity {
  /// How the streams come to nearend.
  enum Kind: String {
    /// They ask for its devices.
    case choosing
    /// They choose no device, and nearend is a smart filter.
    case following

    /// Returns whether the session manager understands what it takes (WirePlumber 0.5 does).
    func isUnderstood(in session: PrivateSession) throws -> Bool {
      try self == .choosing || !session.run("wireplumber", "--version").output.contains("libwireplumber 0.4.")
    }
  }

  /// The identities of the streams.
  private struct Streams: Equatable {
    /// PulseAudio's index.
    var recorder = ""
    var player = ""
    var nodes: [String: UInt64] = [:]
  }

  static func problems(in session: PrivateSession, _ faults: [Fault], of kind: Kind) throws -> [String] {
    let staged = faults.filter { !$0.endsDaemon && $0 != .pulse && $0 != .wireplumber && $0 != .wireplumberKilled }
    guard !staged.isEmpty else { return [] }
    let stage = try Stage(session, .both, .automatic, defaultDevices: kind == .following ? .smart : .off)
    defer { stage.stop() }
    if kind == .following { try stage.wait("a smart filter") { stage.now.route.defaults.effective == .smart } }
    func device(_ name: String) -> [String] { kind == .choosing ? ["--device=\(name)"] : [] }
    let recording = "\(session.path)/recording"
    let names: Set = ["parec", "pacat", "recorder", "player"]
    let recorder = try session.spawn("parec", device("nearend.microphone") + ["--client-name=recorder"], output: recording)
    let player = try session.spawn("pacat", ["--playback"] + device("nearend.speaker") + ["--client-name=player", "/dev/zero"])
    func streams() throws -> Streams {
      func index(_ kind: String) throws -> String {
        let lines = try session.run("pactl", "list", "short", kind).output.split(separator: "\n")
        return lines.compactMap { $0.split(separator: "\t").first.map(String.init) }.joined(separator: ", ")
      }
      return Streams(
        recorder: try index("source-outputs"), player: try index("sink-inputs"),
        nodes: stage.witness.serials { names.contains($0) || $0.hasPrefix("nearend.") })
    }
    func recorded() -> Int { (try? FileManager.default.attributesOfItem(atPath: recording)[.size] as? Int) ?? 0 }
    /// Bytes that the player has read.
    func played() -> Int {
      let lines = (try? String(contentsOfFile: "/proc/\(player.pid)/io", encoding: .utf8))?.split(separator: "\n") ?? []
      return lines.first { $0.hasPrefix("rchar:") }.flatMap { Int($0.dropFirst(7)) } ?? 0
    }
    /// The nodes that the two are linked with.
    func peers() throws -> Set<String> {
      func node(_ port: String) -> String { String(port.prefix { $0 != ":" }) }
      let links = try session.links().keys.map { (from: node($0.from), to: node($0.to)) }
      return Set(links.filter { names.contains($0.from) || names.contains($0.to) }.map { "\($0.from) → \($0.to)" })
    }
    func moves() throws {
      let (from, to) = (recorded(), played())
      try stage.wait("parec to record and pacat to play") { recorded() > from + 48_000 && played() > to + 48_000 }
    }
    try moves()
    let before = try streams()
    var linked = try peers()
    guard !before.recorder.isEmpty, !before.player.isEmpty else { return ["identity, \(kind.rawValue): the streams are not there"] }
    var problems: [String] = []
    let isAsAsked = linked.contains { $0.hasPrefix("nearend.microphone → ") } && linked.contains { $0.hasSuffix(" → nearend.speaker") }
    guard linked.count == 2, isAsAsked else {
      return ["identity, \(kind.rawValue): the streams are linked with something else: \(linked.sorted())"]
    }
    for fault in staged {
      do {
        try stage.prepare(fault)
        let count = stage.interruptions.count
        try stage.begin(fault)
        try stage.wait("the fault to show") { stage.isInEffect(fault, since: count) }
        try stage.end(fault)
        try stage.restore(fault)
        try moves()
        var now = linked
        try? stage.wait("the links of before") {
          now = try peers()
          return now == linked
        }
        if try session.run("pactl", "get-default-sink").output.hasPrefix("nearend.") {
          problems.append("identity, \(kind.rawValue), \(fault.rawValue): nearend's is the default")
        }
        if now != linked { problems.append("identity, \(kind.rawValue), \(fault.rawValue): \(linked.sorted()) became \(now.sorted())") }
        linked = now
      } catch { return problems + ["identity, \(kind.rawValue), \(fault.rawValue): \(error)"] }
    }
    let after = try streams()
    // Last, because WirePlumber 0.4 links no stream that existed before it, whatever its target.
    session.stop(.wireplumber)
    try stage.wait("the devices to go with the session manager") { stage.speaker == nil }
    let orphans = try streams()
    say(
      "\nStreams \(kind.rawValue), before the first of \(staged.count) faults: source-output \(before.recorder), sink-input \(before.player); "
        + "after the last: source-output \(after.recorder), sink-input \(after.player).")
    if !recorder.isRunning { problems.append("identity, \(kind.rawValue): parec has ended") }
    if !player.isRunning { problems.append("identity, \(kind.rawValue): pacat has ended") }
    if after != before { problems.append("identity, \(kind.rawValue): \(before) became \(after)") }
    if orphans.nodes != before.nodes {
      problems.append("identity, \(kind.rawValue), without a session manager: \(before) became \(orphans)")
    }
    return problems
  }
}
