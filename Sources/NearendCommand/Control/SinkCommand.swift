import ArgumentParser
import Border
import ControlClient
import Foundation
import Platform
import SessionModel

struct SinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sink",
    abstract: "Play PCM from standard input through a running nearend, as a participant of its own.",
    discussion: """
      Samples are interleaved native-endian signed 16 bit. Input that is faster than real time waits; at its end what is buffered plays out, and the \
      participant leaves.

        ffmpeg -i talk.flac -f s16le -ac 1 -ar 48000 - | nearend sink --id alice
      """,
    subcommands: [SinkAddCommand.self, SinkRemoveCommand.self, SinkListCommand.self])

  @Option(help: ArgumentHelp("The participant's name: 1 to 64 letters, digits, '-', '_' or '.'.", valueName: "name"))
  var id: String?
  @Option(parsing: .unconditional, help: ArgumentHelp("Frames per second, 8000 to 192000.", valueName: "hz"))
  var rate = 48_000
  @Option(parsing: .unconditional, help: ArgumentHelp("Channels, 1 or 2.", valueName: "n"))
  var channels = 1
  @Option(parsing: .unconditional, help: ArgumentHelp("How much the participant's buffer holds, 10 to 10000.", valueName: "ms"))
  var buffer = 200
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func validate() throws {
    if let id { try PCMFormat.check(id: id) }
    try PCMFormat.check(rate: rate, channels: channels)
    guard (10...10_000).contains(buffer) else { throw ValidationError("--buffer \(buffer): give 10 to 10000.") }
  }

  func run() throws {
    try parent.refuseOwnOptions(of: "sink")
    guard let id else { throw ValidationError("Give the participant's name with --id <name>.") }
    let nearend = socket.nearend
    let target = "/sinks/\(id)?rate=\(rate)&channels=\(channels)&buffer=\(buffer)"
    do {
      guard let answer = try nearend.client.upload("PUT", target, from: STDIN_FILENO) else {
        fail("nearend has ended, or somebody has removed '\(id)', before the input was played", .failure)
      }
      if answer.isTaken {
        fail("--id \(id): a participant of that name exists; choose another name, or remove it: nearend sink remove \(id)", .failure)
      }
      _ = nearend.requireSuccess(answer)
    } catch {
      nearend.end(error)
    }
  }
}

/// Checks a PCM format before asking nearend.
enum PCMFormat {
  static let rates = 8_000...192_000

  static func check(id: String) throws {
    if let problem = IdRule.problem(id) { throw ValidationError("--id \(id): \(problem).") }
  }

  static func check(id: String, rate: Int, channels: Int) throws {
    try check(id: id)
    try check(rate: rate, channels: channels)
  }

  static func check(rate: Int, channels: Int) throws {
    guard rates.contains(rate) else { throw ValidationError("--rate \(rate): give 8000 to 192000.") }
    guard (1...2).contains(channels) else { throw ValidationError("--channels \(channels): give 1 or 2.") }
  }
}

struct SinkAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a participant, as a PipeWire sink device (nearend.sink.<id>) or as an RTP receiver.",
    discussion: """
      An RTP receiver is a participant on another machine: L16 at 48000 Hz in one channel or two, as PipeWire's own RTP modules send it.

        nearend sink add bob --rtp 10.0.0.7:5004 --from 10.0.0.8
      """)

  @Argument(help: "The participant's name: 1 to 64 letters, digits, '-', '_' or '.'.")
  var name: String
  @Flag(help: "Create a PipeWire sink device.")
  var device = false
  @Option(
    help: ArgumentHelp(
      "Receive RTP at this local address; 0.0.0.0 or [::] for all of them; default port 5004.",
      valueName: "address:port"), transform: RemoteAddress.here)
  var rtp: String?
  @Option(
    help: ArgumentHelp("With --rtp: accept only this sender; by default the first one.", valueName: "address"),
    transform: RemoteAddress.other)
  var from: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("With --rtp: length of the jitter buffer, 20 to 100; by default 60.", valueName: "ms"))
  var latency: Int?
  @OptionGroup var socket: SocketOptions
  @ParentCommand var sink: SinkCommand

  func run() throws {
    try sink.parent.refuseOwnOptions(of: "sink add")
    if let problem = device ? ParticipantId.problem(name) : IdRule.problem(name) {
      throw ValidationError("\(name): \(problem).")
    }
    guard device != (rtp != nil) else {
      throw ValidationError("Give either --device or --rtp <address:port>; PCM is played with nearend sink --id \(name).")
    }
    if let latency { try RemoteAddress.check(latency: latency) }
    guard rtp != nil || (from == nil && latency == nil) else { throw ValidationError("--from and --latency need --rtp.") }
    let nearend = socket.nearend
    do {
      let query = QueryText([("device", device ? "1" : nil), ("rtp", rtp), ("from", from), ("latency", latency.map(String.init))])
      let answer = try nearend.client.request("POST", "/sinks/\(name)\(query.text)")
      if answer.isTaken { fail("\(answer.reason): nearend sink remove \(name)", .failure) }
      _ = nearend.requireSuccess(answer)
    } catch {
      nearend.end(error)
    }
  }
}

struct SinkRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a participant from a running nearend.")

  @Argument(help: "The participant's name.", completion: .participants)
  var name: String
  @OptionGroup var socket: SocketOptions
  @ParentCommand var sink: SinkCommand

  func run() throws {
    try sink.parent.refuseOwnOptions(of: "sink remove")
    socket.nearend.request("DELETE", "/sinks/\(ControlClient.escaped(name))")
  }
}

struct SinkListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the participants of a running nearend.")

  @Flag(help: "Print them as JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions
  /// The first parser accepts `--json` anywhere.
  @ParentCommand var sink: SinkCommand

  func run() throws {
    try sink.parent.refuseOwnOptions(of: "sink list", butJSON: true)
    socket.nearend.list("/sinks", asJSON: json || sink.parent.display.json) { (sink: SinkStatus) in
      let kind = sink.kind == .graph ? "device nearend.sink.\(sink.id)" : sink.remote?.words ?? "PCM, \(sink.sampleRate) Hz"
      return ["\(sink.id)  \(kind), \(sink.state.rawValue)"]
    }
  }
}
