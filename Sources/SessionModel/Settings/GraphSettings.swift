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
    case .defaultDevices: .bool(areOursDefault)
    case .pauseOnUnplug: .bool(pausesOnUnplug)
    case .duckingLevel: EventValue(ducking.level)
    case .isAdvancedDuckingEnabled: .bool(ducking.isAdvanced)
    default: nil
    }
  }

  /// Sets a setting to a value of its own kind. Returns false, and changes nothing, for one that does not concern the graph.
  @discardableResult
  package mutating func set(_ setting: Setting, to value: EventValue) -> Bool {
    switch (setting, value) {
    case (.reference, _): reference = value.word() ?? .everything
    case (.defaultDevices, .bool(let on)): areOursDefault = on
    case (.pauseOnUnplug, .bool(let on)): pausesOnUnplug = on
    case (.duckingLevel, _): ducking.level = value.word() ?? .min
    case (.isAdvancedDuckingEnabled, .bool(let on)): ducking.isAdvanced = on
    default: return false
    }
    return true
  }
}
