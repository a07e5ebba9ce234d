/// A named set of settings, as people see it. [any]
package struct PresetStatus: Codable, Sendable, Equatable {
  /// By `IdRule`.
  package var name: String
  /// By the settings' names.
  package var settings: [String: EventValue] = [:]
  /// Where it stands: a path, for one of nearend.toml with its line.
  package var place: String
  /// Whether it was loaded last.
  package var isLoaded = false
  /// Whether it was loaded last, and something it sets has another value now.
  package var isChanged = false
  /// Why it cannot be loaded, with the place; nil if it can.
  package var problem: String?

  package init(name: String, place: String) { (self.name, self.place) = (name, place) }
}

/// The presets in a status document. [any]
package struct PresetsStatus: Codable, Sendable, Equatable {
  /// Names of all that can be loaded, sorted.
  package var names: [String] = []
  /// The one loaded last, if it is still there.
  package var loaded: String?
  /// Whether something that it sets has another value now.
  package var isChanged = false

  package init() {}

  /// The one after the one loaded last, cyclically; nil if there is none.
  package var next: String? {
    guard let first = names.first else { return nil }
    guard let loaded, let place = names.firstIndex(of: loaded) else { return first }
    // Changed since, it is loaded again before the next.
    return isChanged ? loaded : names[(place + 1) % names.count]
  }
}

extension Setting {
  /// Why a preset cannot set it, for people; nil if it can.
  package var presetObstacle: String? {
    if self == .echoCancellation { return "echoCanceller says the same: give \"off\", or an engine" }
    if self == .usedPrograms { return "it is about other programs, whatever the place" }
    if case .program = home { return "it is about what this desktop shows" }
    if has(.isForgotten) { return "it is never restored" }
    return has(.isInitOnly) ? SettingRow.isLockedInCalls : nil
  }

  /// The settings that presets set, in their order.
  package static let inPresets = allCases.filter { $0.presetObstacle == nil }
}
