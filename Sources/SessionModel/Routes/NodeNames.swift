/// The names of nearend's nodes, on which others rely. [any]
package enum NodeNames {
  package static let filter = "nearend"
  package static let speaker = "nearend.speaker"
  package static let microphone = "nearend.microphone"
  package static let sinkPrefix = "nearend.sink."

  /// Returns whether the device of that name is one that applications play into.
  package static func isSink(_ name: String) -> Bool { name == speaker || name.hasPrefix(sinkPrefix) }

  /// Returns whether the name is that of one of nearend's own nodes, which are never a route for its sound (R1).
  package static func isOurs(_ name: String) -> Bool {
    name == filter || name == microphone || isSink(name)
  }

  /// Returns the device that becomes the system's default if nearend's devices are to be the defaults (R2).
  package static func device(_ direction: Device.Direction) -> String { direction == .input ? microphone : speaker }
}
