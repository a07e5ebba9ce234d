/// The names of nearend's nodes, which others rely on. [any]
package enum NodeNames {
  package static let filter = "nearend"
  package static let speaker = "nearend.speaker"
  package static let microphone = "nearend.microphone"
  package static let sinkPrefix = "nearend.sink."

  /// Returns whether applications play into the device of that name.
  package static func isSink(_ name: String) -> Bool { name == speaker || name.hasPrefix(sinkPrefix) }

  /// Returns whether the name is that of one of nearend's own nodes, which are never a route for its sound (R1).
  package static func isOurs(_ name: String) -> Bool {
    name == filter || name == microphone || isSink(name)
  }

  /// The device that becomes the system's default where nearend's are wanted (R2).
  package static func device(_ direction: Device.Direction) -> String { direction == .input ? microphone : speaker }
}
