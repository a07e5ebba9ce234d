import ArgumentParser
import Border
import Foundation
import Platform
import SessionModel

struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print a setting of a running nearend, or all of them.", discussion: SettingName.help)

  @Argument(
    help: "The setting's name or short name; without it, all are printed.", completion: .settings, transform: SettingName.init(typed:))
  var name: SettingName?
  @Flag(help: "Print it as JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "get", butJSON: true)
    let json = json || parent.display.json
    if json, name == nil { return socket.nearend.show("/settings") }
    let values = socket.nearend.get([String: EventValue].self, "/settings")
    if let name {
      let value = values[name.setting.rawValue]
      return print((json ? value?.inJSON ?? "null" : value?.text ?? "").printable(atMost: .max))
    }
    for setting in Setting.allCases { print(setting.rawValue, (values[setting.rawValue]?.text ?? "").printable()) }
  }
}

struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change a setting of a running nearend, at once and without a click.",
    usage: "nearend set <name> <value> [--socket <path>]", discussion: SettingName.help)

  @Argument(help: "The setting's name or short name.", completion: .settings, transform: SettingName.init(typed:))
  var name: SettingName
  // A list of one, because only a list accepts values that look like options: -1 is an invalid number.
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "true or false (on, off, yes, no, 1, 0); 0 to 1 for a volume; a node name, or default, for a device; otherwise one of the setting's words.",
      valueName: "value"), completion: .settingValues)
  var values: [String]
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func validate() throws { _ = try value }

  private var value: EventValue {
    get throws {
      // Whatever follows "--" is a value, as everywhere.
      let end = values.firstIndex(of: "--") ?? values.endIndex
      if let option = values[..<end].first(where: { $0.hasPrefix("-") && Double($0) == nil }) {
        throw ValidationError("Unknown option '\(option)'; to give it as the value, write '--' before it.")
      }
      let values = Array(values[..<end] + values[end...].dropFirst())
      guard values.count == 1 else {
        throw ValidationError("\(name.setting.rawValue): give one value, not \(values.joined(separator: " ")).")
      }
      do { return try name.setting.parse(values[0]) } catch {
        throw ValidationError("\(error).\(Suggestions.question(values[0], among: name.setting.words))")
      }
    }
  }

  func run() throws {
    try parent.refuseOwnOptions(of: "set")
    let nearend = socket.nearend
    nearend.set(name.setting, to: try value)
    guard name.setting.kind == .deviceName else { return }
    let direction: Device.Direction = name.setting == .microphone ? .input : .output
    if let missing = nearend.get(Snapshot.self, "/status").route.missingPick(direction) {
      print("\(direction.awaiting(missing)). `nearend devices` lists those that are.".printable(atMost: .max))
    }
  }
}

struct ToggleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "toggle", abstract: "Toggle a setting of a running nearend, and print its new value.", discussion: SettingName.help)

  @Argument(
    help: "The name or short name of a setting that is on or off.", completion: .switches, transform: SettingName.init(typed:))
  var name: SettingName
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func validate() throws {
    guard name.setting.isSwitch else { throw ValidationError("\(name.setting.rawValue) is neither on nor off; use nearend set.") }
  }

  func run() throws {
    try parent.refuseOwnOptions(of: "toggle")
    let nearend = socket.nearend
    func value() -> EventValue? { nearend.get([String: EventValue].self, "/settings")[name.setting.rawValue] }
    guard let isOn = value()?.isOn else {
      fail("nearend at \(nearend.client.path) has no \(name.setting.rawValue): is it of another version?", .failure)
    }
    nearend.set(name.setting, to: isOn ? .bool(false) : name.setting.switchedOn)
    print((value()?.text ?? "\(!isOn)").printable())
  }
}

struct MuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "mute", abstract: "Mute the microphone of a running nearend.")

  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "mute")
    socket.nearend.request("POST", "/mute")
  }
}

struct UnmuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "unmute", abstract: "Unmute the microphone of a running nearend.")

  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "unmute")
    socket.nearend.request("POST", "/unmute")
  }
}

extension Setting {
  /// The words that it may be.
  fileprivate var words: [String] {
    switch kind {
    case .choice(let words), .switchedChoice(let words): words
    case .channels: ["auto", "mean"]
    case .bool, .deviceName, .programNames, .volume: []
    }
  }
}

/// A setting's name as typed.
struct SettingName {
  let setting: Setting

  /// - Throws: `UnknownSetting`.
  init(typed name: String) throws {
    guard let setting = Setting(named: name) else { throw UnknownSetting(name: name) }
    self.setting = setting
  }

  struct UnknownSetting: Error, CustomStringConvertible {
    var name: String

    var description: String {
      let question = Suggestions.question(name, among: Setting.allCases.flatMap(\.names))
      return "there is no such setting." + (question.isEmpty ? " 'nearend help set' lists them." : question)
    }
  }

  static let help =
    "SETTINGS\n"
    + Setting.allCases.map { "  \($0.rawValue)\($0.alias.map { " (\($0))" } ?? "")" }.joined(separator: "\n")
}

extension RunningNearend {
  func set(_ setting: Setting, to value: EventValue) { request("PATCH", "/settings", [setting.rawValue: value]) }
}

extension EventValue {
  /// Whether a switch is on, or a choice not off; nil for any other value.
  fileprivate var isOn: Bool? {
    switch self {
    case .bool(let isOn): isOn
    case .string(let word): word != "off"
    case .integer, .number: nil
    }
  }

  fileprivate var inJSON: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null" }

  /// The value for people.
  var text: String {
    switch self {
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let value): value
    }
  }
}
