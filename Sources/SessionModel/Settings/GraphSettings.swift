/// The settings that the graph follows: first its options, later changes while it runs. [any]
package struct GraphSettings: Sendable, Equatable {
  /// The source of the echo canceller's reference (V4).
  package var reference = ReferenceSource.everything
  /// A Boolean value indicating whether *Nearend Speaker* and *Nearend Microphone* become the system's defaults, and the former ones are
  /// restored afterwards (R2).
  package var areOursDefault = false
  /// A Boolean value indicating whether the render path pauses when headphones are gone (R5).
  package var pausesOnUnplug = true
  /// How other applications are lowered in a call (D3).
  package var ducking = DuckingSettings()

  package init() {}

  /// The value of a setting; nil for one that does not concern the graph.
  package subscript(setting: Setting) -> EventValue? {
    switch setting {
    case .reference: EventValue(reference)
    case .duckingLevel: EventValue(ducking.level)
    default: Self.switchPath(of: setting).map { .bool(self[keyPath: $0]) }
    }
  }

  /// Sets a setting to a value of its own kind. Returns false, and changes nothing, for one that does not concern the graph.
  @discardableResult
  package mutating func set(_ setting: Setting, to value: EventValue) -> Bool {
    switch (setting, value) {
    case (.reference, _): reference = value.word() ?? .everything
    case (.duckingLevel, _): ducking.level = value.word() ?? .min
    case (_, .bool(let on)):
      guard let path = Self.switchPath(of: setting) else { return false }
      self[keyPath: path] = on
    default: return false
    }
    return true
  }

  private static func switchPath(of setting: Setting) -> WritableKeyPath<GraphSettings, Bool>? {
    switch setting {
    case .defaultDevices: \.areOursDefault
    case .pauseOnUnplug: \.pausesOnUnplug
    case .isAdvancedDuckingEnabled: \.ducking.isAdvanced
    default: nil
    }
  }
}
