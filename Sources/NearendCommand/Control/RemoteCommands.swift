import ArgumentParser
import Border
import ControlClient
import Foundation
import RTP
import SessionModel

/// The query of a request, made of the names whose values are given.
struct QueryText {
  let text: String

  init(_ values: [(name: String, value: String?)]) {
    let given = values.compactMap { name, value in value.map { "\(name)=\(ControlClient.escaped($0))" } }
    text = given.isEmpty ? "" : "?" + given.joined(separator: "&")
  }
}

/// Checks an address and what belongs to it before asking nearend.
enum RemoteAddress {
  /// Of this machine. - Throws: `RTPAddressError`.
  static func here(_ text: String) throws -> String {
    _ = try RTPAddress(text)
    return text
  }

  /// Of another machine. - Throws: `RTPAddressError`.
  static func other(_ text: String) throws -> String {
    guard try !RTPAddress(text).isAny else { throw RTPAddressError.anyAddress(text) }
    return text
  }

  static func check(latency: Int) throws {
    guard (20...100).contains(latency) else { throw ValidationError("--latency \(latency): give 20 to 100.") }
  }
}

/// Options for the packets sent.
struct PacketOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: ArgumentHelp("Length of a packet, 1 to 20.", valueName: "ms"))
  var packet = 10

  func validate() throws {
    guard (1...20).contains(packet) else { throw ValidationError("--packet \(packet): give 1 to 20.") }
  }
}

struct CallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Talk with the nearend of another machine, until hang-up: an intercom.",
    discussion: """
      The other machine has to call this one, too. The voice is sent as RTP (L16 at 48000 Hz); RTP from the other machine, and from no other, is played \
      as a participant. Both ends exchange RTCP reports once a second, on the next port: `nearend status` and the dashboard show loss, jitter and \
      latency. Nothing is encrypted: use it in a trusted network, or inside a tunnel.

        nearend call 10.0.0.8                     on 10.0.0.7
        nearend call 10.0.0.7                     on 10.0.0.8
      """)

  @Argument(
    help: ArgumentHelp("The other machine's numeric address, with a port unless it is 5004.", valueName: "address"),
    transform: RemoteAddress.other)
  var host: String
  @Option(help: ArgumentHelp("The participant's name here; by default derived from the address.", valueName: "name"))
  var id: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Where this machine receives; by default the other's port.", valueName: "port"))
  var port: Int?
  @Option(parsing: .unconditional, help: ArgumentHelp("Length of the jitter buffer, 20 to 100.", valueName: "ms"))
  var latency = 60
  @OptionGroup var packets: PacketOptions
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "call")
    if let id { try PCMFormat.check(id: id) }
    try RemoteAddress.check(latency: latency)
    if let port, !(1...65_535).contains(port) { throw ValidationError("--port \(port): give 1 to 65535.") }
    let query = QueryText([
      ("to", host), ("id", id), ("port", port.map(String.init)), ("latency", "\(latency)"), ("packet", "\(packets.packet)"),
    ])
    socket.nearend.name(from: "/calls\(query.text)")
  }
}

struct HangUpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "hang-up", abstract: "End a call.")

  @Argument(help: "The name that nearend call printed.", completion: .sends)
  var name: String
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "hang-up")
    socket.nearend.request("DELETE", "/calls/\(ControlClient.escaped(name))")
  }
}

struct SendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send the voice to another machine by RTP, until nearend send remove.",
    discussion: """
      L16 at 48000 Hz in one channel, as PipeWire's own RTP modules receive it. To receive as well, use nearend sink add --rtp; nearend call does both.

        nearend send --rtp 10.0.0.8:5004
      """,
    subcommands: [SendRemoveCommand.self, SendListCommand.self])

  @Option(
    help: ArgumentHelp("The other machine's address; port 5004 where none is given.", valueName: "address:port"),
    transform: RemoteAddress.other)
  var rtp: String?
  @Option(help: ArgumentHelp("The sender's name; by default derived from the address.", valueName: "name"))
  var id: String?
  @OptionGroup var packets: PacketOptions
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "send")
    guard let rtp else { throw ValidationError("Give the other machine's address with --rtp <address:port>.") }
    if let id { try PCMFormat.check(id: id) }
    socket.nearend.name(from: "/sends\(QueryText([("to", rtp), ("id", id), ("packet", "\(packets.packet)")]).text)")
  }
}

struct SendRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "remove", abstract: "Stop sending the voice to a machine.")

  @Argument(help: "The sender's name.", completion: .sends)
  var name: String
  @OptionGroup var socket: SocketOptions
  @ParentCommand var send: SendCommand

  func run() throws {
    try send.parent.refuseOwnOptions(of: "send remove")
    socket.nearend.request("DELETE", "/sends/\(ControlClient.escaped(name))")
  }
}

struct SendListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List where the voice is sent.")

  @Flag(help: "Print them as JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions
  /// The first parser accepts `--json` anywhere.
  @ParentCommand var send: SendCommand

  func run() throws {
    try send.parent.refuseOwnOptions(of: "send list", butJSON: true)
    socket.nearend.list("/sends", asJSON: json || send.parent.display.json) { (send: SendStatus) in ["\(send.id)  \(send.words)"] }
  }
}

extension RunningNearend {
  /// Sends a POST request, and prints the name in its answer.
  fileprivate func name(from target: String) {
    struct Made: Decodable { var id: String }
    let data = request("POST", target)
    if let made = try? JSONDecoder.ofDocuments.decode(Made.self, from: data) { print(made.id.printable()) }
  }
}
