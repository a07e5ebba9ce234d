import ArgumentParser
import Border
import ControlClient
import Foundation
import Nearend
import Platform
import RealtimeCore
import SessionModel

struct StageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stage", abstract: "Add, configure and remove LADSPA plug-ins in the capture and render chains.",
    discussion: """
      A stage of the capture chain processes the voice after echo cancellation; one of the render chain, everything that nearend plays. A plug-in is \
      tried in a separate process before nearend loads it.

        nearend stage add capture gate_1410:gate --set "Threshold (dB)=-45"
      """,
    subcommands: [
      StageAddCommand.self, StageListCommand.self, StageSetCommand.self, StageRemoveCommand.self, StageInspectCommand.self,
    ])

  /// The first parser accepts `--json` anywhere.
  @ParentCommand var parent: NearendCommand
}

/// PORT=VALUE; a port's name may contain equals signs, too.
struct PortValue: ExpressibleByArgument {
  let port: String
  let value: Double

  init?(argument: String) {
    guard let sign = argument.lastIndex(of: "="), sign > argument.startIndex,
      let value = Double(argument[argument.index(after: sign)...].trimmed), value.isFinite
    else { return nil }
    port = String(argument[..<sign]).trimmed
    self.value = value
  }
}

extension [PortValue] {
  /// By port; the last one counts.
  var settings: [String: Double] { Dictionary(map { ($0.port, $0.value) }) { $1 } }
}

extension PlugInChain: ExpressibleByArgument {}

/// A plug-in as typed.
struct PlugInArgument: ExpressibleByArgument {
  let address: PlugInAddress

  /// Resolves a relative path in the command's folder, not in that of the running nearend.
  init?(argument: String) {
    guard var address = try? PlugInAddress(argument) else { return nil }
    if address.file.includes("/"), !address.file.hasPrefix("/") {
      address.file = FileManager.default.currentDirectoryPath + "/" + address.file
    }
    self.address = address
  }
}

struct StageAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "add", abstract: "Put a plug-in into a running nearend, without a click.")

  @Argument(help: "capture (the voice) or render (the speaker).")
  var chain: PlugInChain
  @Argument(
    help: ArgumentHelp("The library, by path or by its name in the LADSPA folders, and the plug-in's label.", valueName: "file:label"))
  var plugin: PlugInArgument
  @Option(
    parsing: .unconditionalSingleValue, help: ArgumentHelp("A control port's value; may be repeated.", valueName: "port=value"))
  var set: [PortValue] = []
  @Option(help: ArgumentHelp("The stage's name; by default the label.", valueName: "name"))
  var id: String?
  @OptionGroup var socket: SocketOptions
  @ParentCommand var stage: StageCommand

  func run() throws {
    try stage.parent.refuseOwnOptions(of: "stage add")
    struct Wish: Encodable {
      var chain: String
      var plugin: String
      var id: String?
      var settings: [String: Double]
    }
    let wish = Wish(chain: chain.rawValue, plugin: plugin.address.description, id: id, settings: set.settings)
    let answer = socket.nearend.request("POST", "/stages", wish)
    if let status = try? JSONDecoder.ofDocuments.decode(StageStatus.self, from: answer) { print(status.id.printable()) }
  }
}

struct StageListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the plug-ins of a running nearend, with their ports.")

  @Flag(help: "Print them as JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions
  @ParentCommand var stage: StageCommand

  func run() throws {
    try stage.parent.refuseOwnOptions(of: "stage list", butJSON: true)
    socket.nearend.list("/stages", asJSON: json || stage.parent.display.json) { (stage: StageStatus) in
      ["\(stage.id)  \(stage.words)"] + stage.ports.map { "  \($0.name) = \(PlugInPort.text($0.value)): \($0.possible)" }
    }
  }
}

struct StageSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "set", abstract: "Set control ports of a plug-in.")

  @Argument(help: "The stage's name.", completion: .stages)
  var name: String
  @Argument(help: ArgumentHelp("A control port's value.", valueName: "port=value"), completion: .stagePorts)
  var values: [PortValue]
  @OptionGroup var socket: SocketOptions
  @ParentCommand var stage: StageCommand

  func run() throws {
    try stage.parent.refuseOwnOptions(of: "stage set")
    socket.nearend.request("PATCH", "/stages/\(ControlClient.escaped(name))", values.settings)
  }
}

struct StageRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take a plug-in out of a running nearend, without a click.")

  @Argument(help: "The stage's name.", completion: .stages)
  var name: String
  @OptionGroup var socket: SocketOptions
  @ParentCommand var stage: StageCommand

  func run() throws {
    try stage.parent.refuseOwnOptions(of: "stage remove")
    socket.nearend.request("DELETE", "/stages/\(ControlClient.escaped(name))")
  }
}

struct StageInspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Show a LADSPA library's plug-ins with their control ports, ranges and defaults.")

  @Argument(
    help: ArgumentHelp("The library, optionally with the label of one plug-in, which is then briefly run.", valueName: "file[:label]"))
  var plugin: PlugInArgument
  @Option(parsing: .unconditional, help: ArgumentHelp("Frames per second, for ranges that depend on it.", valueName: "hz"))
  var rate = 48_000
  @Flag(help: "Print JSON.")
  var json = false
  @ParentCommand var stage: StageCommand

  func run() throws {
    try stage.parent.refuseOwnOptions(of: "stage inspect", butJSON: true)
    guard PlugInPort.rates.contains(rate) else { throw ValidationError("--rate \(rate): give 1000 to 1000000.") }
    let address = plugin.address
    let facts: PlugInFacts
    do throws(PlugInError) {
      let path = try PlugInLibrary.find(address.file, ProcessInfo.processInfo.environment)
      facts = try PlugInTrial.ownProgram.facts(path: path, label: address.label.isEmpty ? nil : address.label, rate: rate)
    } catch { fail(error, .noInput) }
    if let error = facts.error { fail(error, .noInput) }
    if json || stage.parent.display.json {
      return print(try jsonDocument(facts).printableLines())
    }
    for plugIn in facts.plugIns { show(plugIn, facts) }
  }

  private func show(_ plugIn: PlugInDescription, _ facts: PlugInFacts) {
    print("\(plugIn.label)  \(plugIn.name), by \(plugIn.maker)".printable())
    let chains = PlugInChain.allCases.filter { (try? plugIn.check(for: $0)) != nil }.map(\.rawValue)
    print(
      "  audio: \(plugIn.audioInputs) in, \(plugIn.audioOutputs) out; fits \(chains.isEmpty ? "no chain" : chains.joined(separator: " and "))"
    )
    print("  runs on \(plugIn.isHardRealtime ? "the audio thread" : "a worker: it is not hard-realtime capable")")
    if let latency = facts.latency { print("  latency: \(latency) frames of its own at \(rate) Hz") }
    if !facts.isSound { print("  it puts out NaN or infinite samples: it would be bypassed at once") }
    for port in plugIn.ports {
      let scale = port.isLogarithmic ? ", logarithmic" : ""
      print("  \(port.name): \(port.possible(rate: rate)), by default \(PlugInPort.text(port.standard(rate: rate)))\(scale)".printable())
    }
  }
}
