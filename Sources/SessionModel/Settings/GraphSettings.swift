/// The settings that the graph follows: first its options, later changes while it runs. [any]
package struct GraphSettings: Sendable, Equatable {
  /// The source of the echo canceller's reference (V4).
  package var reference = ReferenceSource.everything
  /// How programs that choose no device come to use nearend (R2).
  package var defaultDeviceMode = DefaultDeviceMode.off
  /// The programs whose streams are moved to nearend's devices.
  package var usedPrograms = UsedPrograms()
  /// Whether the render path pauses when headphones are gone (R5).
  package var pausesOnUnplug = true
  /// How other applications are lowered in a call (D3).
  package var ducking = DuckingSettings()

  package init() {}

  /// Sets a setting to a value of its own kind. Returns false, and changes nothing, for one that does not concern the graph.
  @discardableResult
  package mutating func set(_ setting: Setting, to value: EventValue) -> Bool {
    guard case .graph(let place) = setting.home else { return false }
    place.write(&self, value)
    return true
  }
}
