import ArgumentParser
import Border
import ControlClient
import Foundation
import Nearend
import Platform
import Preferences
import SessionModel

struct PresetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preset", abstract: "Named sets of settings: save those of a running nearend, load, list and remove them.",
    discussion: """
      A preset sets what it names, and leaves everything else as it is; nearend preset save names every setting that presets can have: all but a mute, \
      what is locked in calls, programs in use, notifications and tray. Saved presets are files in $XDG_CONFIG_HOME/nearend/presets, in the syntax of nearend.toml, which may have others: \
      [preset.NAME]. A device's table there chooses one: preset = "headset".
      """,
    subcommands: [PresetSaveCommand.self, PresetLoadCommand.self, PresetListCommand.self, PresetRemoveCommand.self])

  @ParentCommand var nearend: NearendCommand

  func refuseOwnOptions(butJSON: Bool = false) throws { try nearend.refuseOwnOptions(of: "preset", butJSON: butJSON) }
}

struct PresetSaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "save", abstract: "Save a running nearend's settings as they are, in place of a preset of that name; prints the file.")

  @Argument(help: ArgumentHelp("Its name: \(IdRule.possible).", valueName: "name"), completion: .presets)
  var name: String
  @OptionGroup var socket: SocketOptions
  @ParentCommand var preset: PresetCommand

  func validate() throws { try PresetName.check(name) }

  func run() throws {
    try preset.refuseOwnOptions()
    struct Answer: Decodable { var path: String }
    let data = socket.nearend.request("PUT", "/presets/\(ControlClient.escaped(name))")
    if let answer = try? JSONDecoder().decode(Answer.self, from: data) { print(answer.path.printable()) }
  }
}

struct PresetLoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Set everything that a preset sets, or, if something is refused, nothing.")

  @Argument(help: ArgumentHelp("The preset's name.", valueName: "name"), completion: .presets)
  var name: String
  @OptionGroup var socket: SocketOptions
  @ParentCommand var preset: PresetCommand

  func validate() throws { try PresetName.check(name) }

  func run() throws {
    try preset.refuseOwnOptions()
    socket.nearend.request("POST", "/presets/\(ControlClient.escaped(name))")
  }
}

struct PresetListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the presets with what they change of the defaults, and which is loaded.",
    discussion: "Without a running nearend, those of the files.")

  @Flag(help: "Print them as JSON, with every setting.")
  var json = false
  @OptionGroup var socket: SocketOptions
  @ParentCommand var preset: PresetCommand

  func run() throws {
    try preset.refuseOwnOptions(butJSON: true)
    let asJSON = json || preset.nearend.display.json
    if PresetName.isServed(by: socket) {
      return socket.nearend.list("/presets", asJSON: asJSON, none: PresetName.none) { (preset: PresetStatus) in [preset.words] }
    }
    let all = PresetName.ofFiles
    if asJSON { return print(try jsonDocument(all)) }
    if all.isEmpty { print(PresetName.none) }
    for preset in all { print(preset.words.printable(atMost: .max)) }
  }
}

struct PresetRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a saved preset.")

  @Argument(help: ArgumentHelp("The preset's name.", valueName: "name"), completion: .presets)
  var name: String
  @OptionGroup var socket: SocketOptions
  @ParentCommand var preset: PresetCommand

  func validate() throws { try PresetName.check(name) }

  func run() throws {
    try preset.refuseOwnOptions()
    if PresetName.isServed(by: socket) {
      socket.nearend.request("DELETE", "/presets/\(ControlClient.escaped(name))")
      return
    }
    do { try Wishes.configuration(ConfigCommand.path).removePreset(name, ConfigCommand.path) } catch { fail(error, .failure) }
  }
}

/// What the commands of presets share.
enum PresetName {
  /// What a list without a preset says.
  static let none = "there is no preset; 'nearend preset save NAME' saves the settings of the nearend that runs"

  static func check(_ name: String) throws {
    if let problem = IdRule.problem(name) { throw ValidationError("'\(name)' is no name for a preset: \(problem).") }
  }

  /// Whether the presets are those of a running nearend: of one that is named, or that answers.
  static func isServed(by socket: SocketOptions) -> Bool {
    if socket.socket != nil { return true }
    guard let path = ControlPath.standard(ProcessInfo.processInfo.environment) else { return false }
    return (try? ControlClient(path: path).request("GET", "/settings"))?.isSuccess == true
  }

  /// The presets of the files, while no nearend runs.
  static var ofFiles: [PresetStatus] {
    let path = ConfigCommand.path
    let configuration = Wishes.configuration(path)
    let remembered = PreferencePath.remembered(ProcessInfo.processInfo.environment).map { RememberedFile(path: $0).peek { _ in } }
    return configuration.presetStatuses(path, loaded: remembered?.preset)
  }
}
