import Border
import Foundation
import Nearend
import Platform
import SessionModel

extension PreferenceKeeper: PresetKeeping {
  package var presets: [PresetStatus] {
    queue.sync { readFiles() }
    guard let configurationPath else { return [] }
    let short = presetsStatus
    return configuration.presetStatuses(configurationPath, loaded: short.loaded, isChanged: short.isChanged)
  }

  package var presetsStatus: PresetsStatus {
    let (configuration, loaded) = state.withLock { ($0.layers.configuration, $0.layers.remembered.preset) }
    var status = PresetsStatus()
    status.names = configuration.presets.map(\.name).sorted()
    if let preset = loaded.flatMap(configuration.preset) {
      status.loaded = preset.name
      status.isChanged = preset.settings.contains { service.value(of: $0.key).rounded != $0.value.value.rounded }
    }
    return status
  }

  package func loadPreset(_ name: String) throws(PresetError) {
    guard let configurationPath else { throw .noFiles }
    let result = queue.sync { () -> Result<Void, PresetError> in
      readFiles()
      do throws(PresetError) { return .success(try load(try found(name), configurationPath)) } catch { return .failure(error) }
    }
    try result.get()
  }

  /// Called on the queue: what is noticed meanwhile is handled afterwards.
  private func load(_ preset: Preset, _ path: String) throws(PresetError) {
    let changes = Setting.inPresets.compactMap { setting -> (setting: Setting, value: EventValue)? in
      guard let value = preset.settings[setting]?.value else { return nil }
      return service.value(of: setting).rounded == value.rounded ? nil : (setting, value)
    }
    do throws(SettingError) { try service.set(Dictionary(uniqueKeysWithValues: changes)) } catch {
      let place = Setting(named: error.setting).map { preset.place(of: $0, configuration: path) } ?? preset.place(configuration: path)
      throw .refused("\(place): \(error); nothing of \(preset.name) is set")
    }
    handle(.presetLoaded(preset.name))
    let words = changes.map { "\($0.setting.rawValue) \($0.value.inTOML)" }
    service.remark("preset \(preset.name)" + (words.isEmpty ? ": all was so already" : ": \(words.joined(separator: ", "))"))
  }

  package func savePreset(_ name: String) throws(PresetError) -> String {
    guard let configurationPath else { throw .noFiles }
    if let problem = IdRule.problem(name) { throw .impossibleName(name.printable(), problem: problem) }
    let result = queue.sync { () -> Result<String, PresetError> in
      readFiles()
      if let preset = configuration.preset(name), preset.path == nil {
        let place = preset.place(configuration: configurationPath)
        return .failure(.held("\(place) says what preset '\(name)' is: change it there, or save under another name"))
      }
      let folder = PresetFolder(beside: configurationPath)
      let files = folder.files
      guard files[name] != nil || files.count < PresetFolder.most else {
        return .failure(.refused("there are \(PresetFolder.most) presets, and no more are read: remove one, or save in place of one"))
      }
      do {
        let path = try folder.write(name, Setting.inPresets.map { ($0, service.value(of: $0).rounded) })
        readFiles()
        handle(.presetLoaded(name))
        service.remark("preset \(name) saved as \(path)")
        return .success(path)
      } catch {
        return .failure(.unwritable(path: folder.file(name), reason: "\(error)"))
      }
    }
    return try result.get()
  }

  package func removePreset(_ name: String) throws(PresetError) {
    guard let configurationPath else { throw .noFiles }
    let result = queue.sync { () -> Result<Void, PresetError> in
      readFiles()
      do throws(PresetError) {
        try configuration.removePreset(name, configurationPath)
        readFiles()
        service.remark("preset \(name) removed")
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private var configuration: Configuration { state.withLock { $0.layers.configuration } }

  private func found(_ name: String) throws(PresetError) -> Preset {
    let configuration = configuration
    if let preset = configuration.preset(name) { return preset }
    if let fault = configuration.presetFaults[name] { throw .refused("preset '\(name)' cannot be loaded: \(fault)") }
    throw .unknown(name.printable(), known: configuration.presets.map(\.name).sorted())
  }
}

extension Configuration {
  /// Removes a saved preset's file, right or wrong.
  /// - Parameter path: nearend.toml's.
  package func removePreset(_ name: String, _ path: String) throws(PresetError) {
    if let preset = preset(name), preset.path == nil {
      throw .held("preset '\(name)' is part of \(preset.place(configuration: path)): remove it there")
    }
    guard preset(name) != nil || presetFaults[name] != nil else {
      throw .unknown(name.printable(), known: presets.map(\.name).sorted())
    }
    if let rule = devices.first(where: { $0.preset?.value == name }) {
      let place = path + (rule.preset?.line.map { ":\($0)" } ?? "")
      throw .held("\(place) uses preset '\(name)' for the device \(rule.pattern.quotedForTOML): remove that first")
    }
    let folder = PresetFolder(beside: path)
    do throws(SystemError) { try folder.remove(name) } catch { throw .unwritable(path: folder.file(name), reason: "\(error)") }
  }
}
