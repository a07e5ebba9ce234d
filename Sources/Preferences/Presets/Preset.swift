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
