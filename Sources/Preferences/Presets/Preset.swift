import SessionModel

/// A named set of settings: `[preset.NAME]` in nearend.toml, or a file of its own that `nearend preset save` has written. It sets what it
/// names, and leaves everything else as it is. [any]
package struct Preset: Sendable, Equatable {
  package var name: String
  package var settings: [Setting: Configuration.Entry<EventValue>] = [:]
  /// Of its own file; nil in nearend.toml.
  package var path: String?
  /// In nearend.toml.
  package var line: Int?

  package init(name: String) { self.name = name }

  /// Where it stands, or one of its settings. `configuration` is nearend.toml's path.
  package func place(of setting: Setting? = nil, configuration: String) -> String {
    let line = setting.flatMap { settings[$0]?.line } ?? line
    return (path ?? configuration) + (line.map { ":\($0)" } ?? "")
  }

  /// Its values by name.
  package var values: [String: EventValue] {
    Dictionary(uniqueKeysWithValues: settings.map { ($0.key.rawValue, $0.value.value) })
  }
}

extension Configuration {
  /// All presets as people see them, sorted by name: also those that cannot be loaded.
  /// - Parameters:
  ///   - path: nearend.toml's.
  ///   - loaded: the name of the one loaded last.
  package func presetStatuses(_ path: String, loaded: String?, isChanged: Bool = false) -> [PresetStatus] {
    let sound = presets.map { preset in
      var status = PresetStatus(name: preset.name, place: preset.place(configuration: path))
      status.settings = preset.values
      status.isLoaded = preset.name == loaded
      status.isChanged = status.isLoaded && isChanged
      return status
    }
    let faulty = presetFaults.map { name, problem in
      var status = PresetStatus(name: name, place: PresetFolder(beside: path).file(name))
      status.problem = problem
      return status
    }
    return (sound + faulty).sorted { $0.name < $1.name }
  }
}

extension PresetStatus {
  /// A line for people.
  package var words: String {
    if let problem { return "\(name)  cannot be loaded: \(problem)" }
    let list = settings.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
      // A document has no 1.0: a gain comes back as an integer.
      guard let setting = Setting(rawValue: name), let value = try? setting.checked(value), value != setting.standard else { return nil }
      return "\(name) \(value.inTOML)"
    }.joined(separator: ", ")
    let state = isLoaded ? isChanged ? " (loaded, changed since)" : " (loaded)" : ""
    return "\(name)\(state)  \(list.isEmpty ? "as by default" : list)"
  }
}
