import ArgumentParser
import Border
import ControlClient
import Foundation
import Nearend
import Preferences
import SessionModel

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Tell where nearend.toml is, whether it is right, and what each setting is and why.",
    discussion: """
      What the command line says holds first, then nearend.toml, for the device in use before for all, then what was changed while nearend ran (see \
      nearend reset), then the default. A nearend that runs takes a changed file over at once; one that is wrong it leaves alone, and says why.
      """,
    subcommands: [ConfigPathCommand.self, ConfigCheckCommand.self, ConfigShowCommand.self])

  @ParentCommand var nearend: NearendCommand

  /// Refuses options of `nearend` itself, whose parser runs first, and accepts `--json` and its other options anywhere.
  func refuseOwnOptions(butJSON: Bool = false) throws { try nearend.refuseOwnOptions(of: "config", butJSON: butJSON) }

  /// Ends the process if the path is unknown.
  static var path: String {
    guard let path = PreferencePath.configuration(ProcessInfo.processInfo.environment) else {
      fail("neither XDG_CONFIG_HOME nor HOME is set, so there is no telling where nearend.toml would be", .failure)
    }
    return path
  }
}

struct ConfigPathCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "path", abstract: "Print where nearend.toml is read from.")

  @ParentCommand var config: ConfigCommand

  func run() throws {
    try config.refuseOwnOptions()
    print(ConfigCommand.path.printable())
  }
}

struct ConfigCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Say what is wrong with nearend.toml, or that nothing is; ends with 65 where something is.")

  @Argument(help: ArgumentHelp("Another file than nearend's own.", valueName: "file"))
  var file: String?
  @ParentCommand var config: ConfigCommand

  func run() throws {
    try config.refuseOwnOptions()
    let path = file ?? ConfigCommand.path
    if access(path, F_OK) != 0 {
      if file != nil { fail("there is no file \(path)", .noInput) }
      return print("There is no \(path.printable()): everything is as by default.")
    }
    _ = Wishes.configuration(path)
    print("\(path.printable()) is right.")
  }
}

struct ConfigShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract:
      "Print every setting and option as nearend.toml has them, with where each comes from, and what it is now where that is another.")

  @Flag(help: "Print them as JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions
  @ParentCommand var config: ConfigCommand

  /// A line of the list.
  private struct Row: Encodable {
    var name: String
    var value: String
    var origin: String
    /// The running nearend's value, if it differs.
    var now: String?

    var text: String { "\(name) = \(value)".padded(to: 44) + "# \(origin)\(now.map { "; now \($0)" } ?? "")" }
  }

  func run() throws {
    try config.refuseOwnOptions(butJSON: true)
    let environment = ProcessInfo.processInfo.environment
    let configuration = Wishes.configuration(ConfigCommand.path)
    let remembered = PreferencePath.remembered(environment).map { path in
      RememberedFile(path: path).peek { remark($0) }
    }
    let layers = Layers(configuration: configuration, remembered: remembered ?? Remembered())
    let live = Live(socket.socket ?? ControlPath.standard(environment))
    var rows = Layers.settings.map { setting in
      let (value, origin) = layers.resolved(setting, devices: live.devices)
      let now = live.values[setting.rawValue].flatMap { try? setting.checked($0) }.flatMap { $0 == value ? nil : $0.inTOML }
      return Row(name: setting.rawValue, value: value.inTOML, origin: origin.words, now: now)
    }
    rows += RunOption.allCases.map { option in
      let entry = configuration.options[option]
      return Row(
        name: option.rawValue, value: "\(configuration.option(option))",
        origin: (entry.map { .configuration(line: $0.line) } ?? Layers.Origin.standard).words)
    }
    if json || config.nearend.display.json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return print(String(decoding: try encoder.encode(rows), as: UTF8.self))
    }
    print(rows.map(\.text).joined(separator: "\n").printableLines())
  }

  /// The values of a running nearend; empty if none runs.
  private struct Live {
    var values: [String: EventValue] = [:]
    var devices: Set<String> = []

    init(_ socket: String?) {
      guard let client = socket.map(ControlClient.init(path:)),
        let settings = try? client.request("GET", "/settings"), settings.isSuccess,
        let status = try? client.request("GET", "/status"), status.isSuccess,
        let snapshot = try? JSONDecoder.ofDocuments.decode(Snapshot.self, from: status.body)
      else { return }
      values = (try? JSONDecoder.ofDocuments.decode([String: EventValue].self, from: settings.body)) ?? [:]
      devices = Set([snapshot.route.microphone?.name, snapshot.route.speaker?.name].compactMap { $0 })
    }
  }
}

extension String {
  fileprivate func padded(to length: Int) -> String { self + String(repeating: " ", count: max(1, length - count)) }
}

struct ResetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Forget what was changed while nearend ran: one setting, one participant's gain, or everything.",
    discussion: """
      nearend.toml, or else the default, holds again, at once where a nearend runs. What is remembered is in $XDG_STATE_HOME/nearend/remembered.json; \
      whether the microphone is muted never is.
      """)

  @Argument(
    help: ArgumentHelp("The setting's name or short name, or the participant's; without it, everything is forgotten.", valueName: "name"))
  var name: String?
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "reset")
    guard let path = PreferencePath.remembered(ProcessInfo.processInfo.environment) else {
      fail("neither XDG_STATE_HOME nor HOME is set, so nothing is remembered", .failure)
    }
    var words: [String] = []
    do {
      _ = try RememberedFile(path: path).update(complain: { remark($0) }) { remembered in
        let known = remembered.names
        guard let name else {
          words = known
          return remembered = Remembered()
        }
        let setting = Setting(named: name)
        if let setting, known.contains(setting.views[0].rawValue) {
          remembered[setting.views[0]] = nil
          words = [setting.views[0].rawValue]
        } else if remembered.gain(of: name) != nil {
          remembered.setGain(nil, of: name)
          words = [name]
        } else if setting == nil {
          fail(
            "neither a setting nor a participant that is remembered is called '\(name)'; "
              + (known.isEmpty ? "nothing is remembered" : "remembered are: \(known.joined(separator: ", "))"), .failure)
        }
      }
    } catch {
      fail("\(path) cannot be written: \(error)", .failure)
    }
    print(words.isEmpty ? "Nothing of it was remembered." : "Forgotten: \(words.joined(separator: ", ")).".printable(atMost: .max))
  }
}
