import Border
import Foundation
import PipeWireGraph
import Platform
import SessionModel
import TOMLKit

extension Configuration {
  /// Maximum bytes and lines of a file, far more than people write.
  static let largest = (bytes: 1 << 16, lines: 2_000)

  /// Reads nearend.toml; a missing file is an empty configuration.
  /// - Throws: `ConfigurationError`, with all problems.
  package init(path: String) throws(ConfigurationError) {
    let saved = PresetFolder(beside: path).read()
    try self.init(text: try Self.text(path) ?? "", path: path, saved: saved)
  }

  /// Reads a file that decides what runs here; nil if there is none.
  /// - Throws: `ConfigurationError`.
  static func text(_ path: String) throws(ConfigurationError) -> String? {
    func fail(_ message: String) -> ConfigurationError { ConfigurationError(path: path, problems: [.init(message: message)]) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw fail("it cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw fail("it cannot be read: \(SystemError.last)") }
    // Nobody writes one by hand, and it would count as empty.
    guard ![S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { throw fail("it is a pipe, not a file") }
    // It names programs' audio destinations and plug-ins that are loaded: who can write it decides what runs here.
    guard [0, geteuid()].contains(status.st_uid) else { throw fail("it belongs to another user: chown it to yourself, or remove it") }
    guard status.st_mode & S_IWOTH == 0 else { throw fail("everybody may write it: chmod o-w it") }
    let data: [UInt8]
    do { data = try contents(of: descriptor, atMost: largest.bytes + 1) } catch { throw fail("it cannot be read: \(error)") }
    guard data.count <= largest.bytes else { throw fail("it is larger than \(largest.bytes) bytes") }
    guard let text = String(validating: data, as: UTF8.self) else { throw fail("it is not valid UTF-8") }
    return text
  }

  /// Parses a text; `path` names it in problems.
  /// - Parameter saved: the presets beside the file; one of the same name in the text takes precedence.
  /// - Throws: `ConfigurationError`, with all problems.
  package init(text: String, path: String, saved: PresetFolder.Contents = .init()) throws(ConfigurationError) {
    var reader = ConfigurationReader(text)
    reader.read(saved)
    try reader.check(path)
    self = reader.configuration
  }
}

extension Preset {
  /// Reads a preset's own file, of the root's settings of nearend.toml.
  /// - Throws: `ConfigurationError`, with all problems.
  init(name: String, path: String) throws(ConfigurationError) {
    var reader = ConfigurationReader(try Configuration.text(path) ?? "")
    self = reader.readFile(ofPreset: name)
    try reader.check(path)
    self.path = path
  }
}

/// Reads a TOML text into checked values, or lists its problems. Every configuration passes through here.
private struct ConfigurationReader {
  var configuration = Configuration()
  var problems: [ConfigurationError.Problem] = []
  private let text: String
  private let keys: KeyLines

  /// Maximum number of problems reported.
  private static let mostProblems = 20
  /// Maximum number of dots in a key or a value.
  private static let mostDots = 32
  /// The keys of a participant's table.
  private static let participantKeys = ["gain", "muted"] + RemoteRule.keys

  init(_ text: String) {
    self.text = text
    keys = KeyLines(text)
  }

  /// The first line, from 1, with a key of too many parts: the parser, and what frees its tables, call themselves once for each of them, on
  /// any thread's stack.
  private var deepLine: Int? {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let place = lines.firstIndex { line in
      let isComment = line.drop { $0 == " " || $0 == "\t" }.hasPrefix("#")
      return !isComment && line.split(separator: ",").contains { $0.count { $0 == "." } > Self.mostDots }
    }
    return place.map { $0 + 1 }
  }

  func check(_ path: String) throws(ConfigurationError) {
    guard !problems.isEmpty else { return }
    throw ConfigurationError(path: path, problems: problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) })
  }

  /// Parses the text; nil with a problem.
  private mutating func parsed() -> TOMLTable? {
    guard !text.utf8.contains(0), text.utf8.lazy.filter({ $0 == 0x0A }).count < Configuration.largest.lines else {
      report([], "it is not a configuration: it contains a NUL byte, or more than \(Configuration.largest.lines) lines")
      return nil
    }
    if let line = deepLine {
      let words = "there are more than \(Self.mostDots) dots in one key or value, far more than any that means something has"
      problems.append(.init(line: line, message: words))
      return nil
    }
    do { return try TOMLTable(string: text) } catch {
      let error = error as? TOMLParseError
      let place = error.map { "column \($0.source.begin.column): " } ?? ""
      problems.append(
        .init(line: error?.source.begin.line, message: "invalid TOML: \(place)\((error?.description ?? "").printable(atMost: 400))"))
      return nil
    }
  }

  mutating func readFile(ofPreset name: String) -> Preset {
    guard let root = parsed() else { return Preset(name: name) }
    return readPreset(name, [], root)
  }

  mutating func read(_ saved: PresetFolder.Contents) {
    guard let root = parsed() else { return }
    for key in root.keys {
      guard let value = root[key] else { continue }
      switch key {
      case "device": readRules(key, value) { $0.readDevice($1, $2) }
      case "preset": readRules(key, value) { $0.readPreset($1, $2) }
      case "stage": readStages(value)
      case "participant": readRules(key, value) { $0.readParticipant($1, $2) }
      default: readRootKey(key, value)
      }
    }
    let own = Set(configuration.presets.map(\.name))
    configuration.presets += saved.presets.filter { !own.contains($0.name) }
    configuration.presetFaults = saved.faults.filter { !own.contains($0.key) }
    checkDevicePresets()
    checkTelemetry()
  }

  private mutating func report(_ path: [String], _ message: String) {
    guard problems.count < Self.mostProblems else { return }
    let inside = path.count > 2 ? "\(path[0]).\(path[1].quotedForTOML): " : ""
    problems.append(.init(line: path.isEmpty ? nil : keys.line(of: path), message: "\(inside)\(message)"))
  }

  // MARK: The root

  private mutating func readRootKey(_ key: String, _ value: any TOMLValueConvertible) {
    if let option = RunOption(rawValue: key) {
      do throws(SettingError) {
        configuration.options[option] = .init(value: try option.checked(try Self.value(value, of: option)), line: keys.line(of: [key]))
      } catch {
        report([key], error.description)
      }
    } else if let setting = Setting(named: key) {
      guard configuration.settings[setting] == nil else { return reportTwice([key], setting) }
      do throws(SettingError) {
        configuration.settings[setting] = .init(value: try Self.value(value, of: setting, named: key), line: keys.line(of: [key]))
      } catch {
        report([key], error.description)
      }
    } else {
      let names = ["device", "participant", "preset", "stage"] + RunOption.allCases.map(\.rawValue) + Setting.allCases.map(\.rawValue)
      report([key], "unknown key '\(key.printable())'" + Self.alternatives(to: key, "keys", names))
    }
  }

  /// The names that resemble an unknown one; all of them if none does.
  private static func alternatives(to key: String, _ what: String, _ names: [String]) -> String {
    let question = Suggestions.question(key, among: names)
    return question.isEmpty ? "; valid \(what): \(names.joined(separator: ", "))" : ".\(question)"
  }

  private mutating func reportTwice(_ path: [String], _ setting: Setting) {
    report(path, "\(setting.rawValue) is given twice, as '\(setting.rawValue)' and '\(setting.alias ?? "")': give it once")
  }

  /// Checks telemetry as the command line does: only one of the two ways to set the gate, and at least one destination.
  private mutating func checkTelemetry() {
    func isGiven(_ option: RunOption) -> Bool { configuration.option(option) != option.standard }
    let gate = [RunOption.telemetryMinVersion, .telemetryDisable].filter(isGiven)
    if isGiven(.telemetryConfig), let first = gate.first {
      report([first.rawValue], "telemetryConfig and \(first.rawValue) exclude each other: give only one")
    }
    if isGiven(.telemetryOtlpHeaders), !isGiven(.telemetryOtlp) {
      report([RunOption.telemetryOtlpHeaders.rawValue], "telemetryOtlpHeaders needs telemetryOtlp")
    }
    guard ![RunOption.telemetryFile, .telemetryUrl, .telemetryOtlp].contains(where: isGiven) else { return }
    for option in [.telemetryConfig] + gate where isGiven(option) {
      report([option.rawValue], "\(option.rawValue) needs telemetryFile, telemetryUrl or telemetryOtlp")
    }
  }

  // MARK: Tables by pattern

  private typealias ReadRule = (inout ConfigurationReader, _ path: [String], TOMLTable) -> Void

  private mutating func readRules(_ key: String, _ value: any TOMLValueConvertible, _ read: ReadRule) {
    let examples = ["device": "[device.\"bluez_output.*\"]", "preset": "[preset.desk]"]
    let example = examples[key] ?? "[participant.\"guest-*\"]"
    guard let table = value.table else { return report([key], "\(key) is a table for each \(key): give \(example)") }
    // In file order, which TOMLKit does not keep.
    let names = table.keys.map { (name: $0, line: keys.line(of: [key, $0]) ?? 0) }.sorted { $0.line < $1.line }
    for (name, _) in names {
      if let rule = table[name]?.table {
        read(&self, [key, name], rule)
      } else {
        report(
          [key, name], "'\(name.printable())' is not a table under a \(key)'s \(key == "preset" ? "name" : "pattern"): give \(example)")
      }
    }
  }

  private mutating func readDevice(_ path: [String], _ table: TOMLTable) {
    var rule = Configuration.DeviceRule(pattern: path[1])
    for key in table.keys {
      guard let value = table[key] else { continue }
      let place = path + [key]
      if key == "preset" {
        if let name = value.string {
          rule.preset = .init(value: name, line: keys.line(of: place))
        } else {
          report(place, "preset cannot be '\(Self.words(value))': give the name of a preset")
        }
        continue
      }
      guard let setting = Setting(named: key) else {
        let names = ["preset"] + Setting.allCases.filter { $0.row.deviceObstacle == nil }.map(\.rawValue)
        report(place, "unknown device setting '\(key.printable())'" + Self.alternatives(to: key, "settings", names))
        continue
      }
      if let obstacle = setting.row.deviceObstacle {
        report(place, "\(key) cannot be set per device, because \(obstacle): set it at the top level")
        continue
      }
      guard rule.settings[setting] == nil else {
        reportTwice(place, setting)
        continue
      }
      do throws(SettingError) {
        rule.settings[setting] = .init(value: try Self.value(value, of: setting, named: key), line: keys.line(of: place))
      } catch {
        report(place, error.description)
      }
    }
    configuration.devices.append(rule)
  }

  /// Checks that the presets of devices are there.
  private mutating func checkDevicePresets() {
    for rule in configuration.devices {
      guard let name = rule.preset?.value, configuration.preset(name) == nil else { continue }
      let place = ["device", rule.pattern, "preset"]
      if let fault = configuration.presetFaults[name] {
        report(place, "preset '\(name.printable())' cannot be used: \(fault)")
      } else {
        let names = configuration.presets.map(\.name).sorted()
        let alternatives = names.isEmpty ? "; 'nearend preset save' makes one" : Self.alternatives(to: name, "presets", names)
        report(place, "there is no preset '\(name.printable())'" + alternatives)
      }
    }
  }

  private mutating func readPreset(_ path: [String], _ table: TOMLTable) {
    if let problem = IdRule.problem(path[1]) { return report(path, "invalid preset name '\(path[1].printable())': \(problem)") }
    var preset = readPreset(path[1], path, table)
    preset.line = keys.line(of: path)
    configuration.presets.append(preset)
  }

  /// Reads the settings of a preset, whose table is at `path`.
  private mutating func readPreset(_ name: String, _ path: [String], _ table: TOMLTable) -> Preset {
    var preset = Preset(name: name)
    for key in table.keys {
      guard let value = table[key] else { continue }
      let place = path + [key]
      guard let setting = Setting(named: key) else {
        report(place, "unknown setting '\(key.printable())'" + Self.alternatives(to: key, "settings", Setting.inPresets.map(\.rawValue)))
        continue
      }
      if let obstacle = setting.presetObstacle {
        report(place, "a preset cannot set \(key): \(obstacle)")
        continue
      }
      guard preset.settings[setting] == nil else {
        reportTwice(place, setting)
        continue
      }
      do throws(SettingError) {
        let value = try Self.value(value, of: setting, named: key)
        // As a switch, "on" means whichever engine was chosen last: a preset says which.
        if case .bool(let isOn) = value, setting == .echoCanceller, isOn {
          throw SettingError.badValue(setting: key, value: "true", possible: setting.possible)
        }
        preset.settings[setting] = .init(
          value: setting == .echoCanceller && value == .bool(false) ? EventValue(EchoCanceller.off) : value, line: keys.line(of: place))
      } catch {
        report(place, error.description)
      }
    }
    return preset
  }

  private mutating func readParticipant(_ path: [String], _ table: TOMLTable) {
    var rule = Configuration.ParticipantRule(pattern: path[1])
    for key in table.keys {
      guard let value = table[key] else { continue }
      let place = path + [key]
      switch key {
      case "gain":
        rule.gain = value.double ?? value.int.map(Double.init)
        guard let gain = rule.gain, (0...4).contains(gain) else {
          report(place, "gain cannot be '\(Self.words(value))': give a number from 0 to 4")
          continue
        }
      case "muted":
        rule.isMuted = value.bool
        if rule.isMuted == nil { report(place, "muted cannot be '\(Self.words(value))': give true or false") }
      case let key where RemoteRule.keys.contains(key): break
      default:
        report(
          place, "unknown participant key '\(key.printable())'" + Self.alternatives(to: key, "keys", Self.participantKeys))
      }
    }
    let (remote, problems) = RemoteRule.read(path[1], table)
    for problem in problems { report(path + [problem.key], problem.message) }
    rule.remote = remote
    configuration.participants.append(rule)
  }

  private mutating func readStages(_ value: any TOMLValueConvertible) {
    guard let array = value.array else { return report(["stage"], "stage is a list of tables: give \(StageRule.example)") }
    for (index, element) in array.map({ $0.table }).enumerated() {
      guard let table = element else { return report(["stage"], "stage is a list of tables: give \(StageRule.example)") }
      let (rule, problems) = StageRule.read(table)
      for problem in problems { report(["stage"], "stage \(index + 1): \(problem.message)") }
      guard let rule else { continue }
      if let id = rule.id, configuration.stages.contains(where: { $0.id == id }) {
        report(["stage"], "stage \(index + 1): '\(id)' is another stage's id: give every id only once")
      }
      configuration.stages.append(rule)
    }
  }

  // MARK: Values

  /// - Parameter key: what the file calls the setting, and so what an error does.
  private static func value(_ value: any TOMLValueConvertible, of setting: Setting, named key: String) throws(SettingError) -> EventValue {
    do throws(SettingError) {
      return try setting.kind == .programNames ? programs(value) : Self.value(value, of: setting)
    } catch {
      guard case .badValue(_, let value, let possible) = error else { throw error }
      throw .badValue(setting: key, value: value, possible: possible)
    }
  }

  /// Names of programs, as a text or as a list of texts.
  private static func programs(_ value: any TOMLValueConvertible) throws(SettingError) -> EventValue {
    func bad(_ words: String) -> SettingError {
      let possible = "names of programs, as \"firefox, zoom*\" or [\"firefox\", \"zoom*\"]: \(UsedPrograms.possible)"
      return .badValue(setting: Setting.usedPrograms.rawValue, value: words, possible: possible)
    }
    let texts = value.string?.split(separator: ",").map(String.init) ?? value.array?.map { $0.string ?? "" }
    guard let texts, value.array?.allSatisfy({ $0.string != nil }) != false else {
      throw bad(value.array?.allSatisfy { $0.table != nil } == true ? "a list of tables" : words(value))
    }
    var used = UsedPrograms()
    for name in texts.map(\.trimmed) where !used.add(name) { throw bad(name.printable()) }
    return .string(used.text)
  }

  private static func value(_ value: any TOMLValueConvertible, of setting: Setting) throws(SettingError) -> EventValue {
    let scalar: EventValue? =
      switch value.type {
      case .bool: value.bool.map { .bool($0) }
      case .int: value.int.map { .integer($0) }
      case .double: value.double.map { .number($0) }
      case .string: value.string.map { .string($0.printable()) }
      case .table, .array, .date, .time, .dateTime: nil
      }
    guard let scalar else { throw .badValue(setting: setting.rawValue, value: words(value), possible: setting.possible) }
    let checked = try setting.checked(scalar)
    if setting.kind == .deviceName, case .string(let name) = checked, GraphController.isOwnNode(name) {
      throw .ownDevice(setting, name)
    }
    return checked
  }

  private static func value(_ value: any TOMLValueConvertible, of option: RunOption) throws(SettingError) -> RunOption.Value {
    if let text = value.string, case .text = option.standard { return .text(text) }
    if let array = value.array, case .list = option.standard {
      let texts = array.map { $0.string }
      if !texts.contains(nil) { return .list(texts.compactMap { $0 }) }
    }
    throw .badValue(setting: option.rawValue, value: words(value), possible: option.possible)
  }

  private static func words(_ value: any TOMLValueConvertible) -> String {
    switch value.type {
    case .table: "a table"
    case .array: "a list"
    case .string: (value.string ?? "").printable()
    default: value.debugDescription.printable()
    }
  }
}
