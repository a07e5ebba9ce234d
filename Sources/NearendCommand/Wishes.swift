import Foundation
import Nearend
import PipeWireGraph
import Platform
import Preferences
import SessionModel

/// Everything that determines how nearend starts: the command line, nearend.toml, and what is remembered.
struct Wishes {
  let layers: Layers
  /// nil if no file is read, and nothing remembered.
  let configurationPath: String?
  let remembered: RememberedFile?
  /// Problems with files that could not be read, for the log.
  let complaints: [String]
  private let devices: DeviceOptions

  /// Uses the command line alone, as a rehearsal does: its devices are others, and its figures must be the same everywhere.
  init(_ devices: DeviceOptions) {
    self.devices = devices
    layers = Layers(commandLine: devices.settings)
    (configurationPath, remembered, complaints) = (nil, nil, [])
  }

  /// Ends the process if the file is wrong, because running with half of it is not what was requested.
  init(_ devices: DeviceOptions, _ environment: [String: String]) {
    self.devices = devices
    configurationPath = PreferencePath.configuration(environment)
    remembered = PreferencePath.remembered(environment).map(RememberedFile.init)
    let configuration = Self.configuration(configurationPath)
    var complaints: [String] = []
    var kept: Remembered?
    do throws(SystemError) { kept = try remembered?.read { complaints.append($0) } } catch {
      complaints.append("\(remembered?.path ?? "") cannot be read now, so what was changed in earlier runs does not hold: \(error)")
    }
    self.complaints = complaints
    layers = Layers(commandLine: devices.settings, configuration: configuration, remembered: kept ?? Remembered())
  }

  /// Ends the process if the file is wrong.
  static func configuration(_ path: String?) -> Configuration {
    guard let path else { return Configuration() }
    do { return try Configuration(path: path) } catch { fail(error, .badConfiguration) }
  }

  var glyphs: GlyphChoice? { text(.glyphs).flatMap(GlyphChoice.init) }

  /// The participants of nearend.toml, and those that the command line adds.
  var sinks: [String] {
    guard case .list(let ids) = layers.configuration.option(.sinks) else { return devices.sink }
    return ids + devices.sink.filter { !ids.contains($0) }
  }

  var echoCanceller: EchoCanceller { layers.resolved(.echoCanceller).value.word() ?? .nearend }

  var sessionSettings: SessionSettings {
    var settings = SessionSettings()
    for setting in Self.fromTheStart { settings.set(setting, to: layers.resolved(setting).value) }
    return settings
  }

  /// `systemBus` is the login manager's bus; `environment` determines where state is kept. The devices are those of the command line, which
  /// must exist; others are used once they appear.
  func graphOptions(remote: String?, systemBus: SystemBusAddress, _ environment: [String: String]) -> GraphOptions {
    var roles: [String] = []
    if let given = devices.interruptingRoles {
      roles = given.split(separator: ",").map { $0.trimmed }
    } else if case .list(let list) = layers.configuration.option(.interruptingRoles) {
      roles = list
    }
    var options = GraphOptions(
      remote: remote, microphone: devices.mic, speaker: devices.speaker,
      interruptions: InterruptionOptions(
        roles: roles.filter { !$0.isEmpty }, systemBus: systemBus,
        whenInactive: devices.whenInactive ?? text(.whenInactive).flatMap(InterruptionOptions.Inactivity.init) ?? .stop))
    for setting in Self.fromTheStart { options.settings.set(setting, to: layers.resolved(setting).value) }
    options.stateFolder = StatePath.standard(environment)
    return options
  }

  private static let fromTheStart = Setting.allCases.filter { $0.has(.holdsFromTheStart) }

  private func text(_ option: RunOption) -> String? {
    if case .text(let text) = layers.configuration.option(option) { text } else { nil }
  }
}
