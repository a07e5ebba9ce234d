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
    abstract: "Show where nearend.toml is, whether it is valid, and the value and origin of each setting.",
    discussion: """
      Precedence, highest first: the command line; nearend.toml's tables for the devices in use; the rest of nearend.toml; values remembered from \
      earlier changes (see nearend reset); the default. A running nearend applies a changed file at once; an invalid file is logged and ignored.
      """,
    subcommands: [ConfigPathCommand.self, ConfigCheckCommand.self, ConfigShowCommand.self])

  @ParentCommand var nearend: NearendCommand

  /// Refuses options of `nearend` itself, whose parser runs first, and accepts `--json` and its other options anywhere.
  func refuseOwnOptions(butJSON: Bool = false) throws { try nearend.refuseOwnOptions(of: "config", butJSON: butJSON) }

  /// Ends the process if the path is unknown.
  static var path: String {
    guard let path = PreferencePath.configuration(ProcessInfo.processInfo.environment) else {
      fail("neither XDG_CONFIG_HOME nor HOME is set, so nearend.toml has no location", .failure)
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
    commandName: "check", abstract: "Validate nearend.toml and saved presets; exit status 65 if one is invalid.")

  @Argument(help: ArgumentHelp("The file to check instead of the user's.", valueName: "file"), completion: .file(extensions: ["toml"]))
  var file: String?
  @ParentCommand var config: ConfigCommand

  func run() throws {
    try config.refuseOwnOptions()
    let path = file ?? ConfigCommand.path
    let isThere = access(path, F_OK) == 0
    if let file, !isThere { fail("there is no file \(file)", .noInput) }
    let faults = Wishes.configuration(path).presetFaults.sorted { $0.key < $1.key }
    print(isThere ? "\(path.printable()) is valid." : "There is no \(path.printable()); all defaults apply.")
    guard faults.isEmpty else {
      fflush(nil)
      fail(faults.map { "preset '\($0.key)' cannot be loaded: \($0.value)" }.joined(separator: "\n"), .badConfiguration)
    }
  }
}

struct ConfigShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract:
      "Print every setting and option in the syntax of nearend.toml, with its origin and, if different, its current value.")

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
      return print(try jsonDocument(rows))
    }
    print(rows.map(\.text).joined(separator: "\n").printableLines())
  }

  /// The values of a running nearend; empty if none runs.
  private struct Live {
    var values: [String: EventValue] = [:]
    var devices: Set<String> = []

    init(_ socket: String?) {
      guard let client = socket.map(ControlClient.init(path:)),
        let values = client.answered([String: EventValue].self, "/settings"),
        let snapshot = client.answered(Snapshot.self, "/status")
      else { return }
      self.values = values
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
      nearend.toml or the default applies again, immediately in a running nearend. Remembered values are in $XDG_STATE_HOME/nearend/remembered.json; \
      whether the microphone is muted is never remembered.
      """)

  @Argument(
    help: ArgumentHelp("The setting's name or short name, or the participant's; without it, everything is forgotten.", valueName: "name"),
    completion: .settings)
  var name: String?
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "reset")
    guard let path = PreferencePath.remembered(ProcessInfo.processInfo.environment) else {
      fail("neither XDG_STATE_HOME nor HOME is set, so nothing is remembered", .failure)
    }
    // What has just been changed is written first, so that it is forgotten, too.
    Self.settle()
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
            "no remembered setting or participant is called '\(name)'; "
              + (known.isEmpty ? "nothing is remembered" : "remembered: \(known.joined(separator: ", "))"), .failure)
        }
      }
    } catch {
      fail("\(path) cannot be written: \(error)", .failure)
    }
    Self.settle()
    print(words.isEmpty ? "Nothing to forget." : "Forgotten: \(words.joined(separator: ", ")).".printable(atMost: .max))
  }

  /// Waits until a running nearend has written and applied what it remembers; without one, there is nothing to wait for.
  private static func settle() {
    guard let path = ControlPath.standard(ProcessInfo.processInfo.environment) else { return }
    _ = try? ControlClient(path: path).request("POST", "/reload")
  }
}
