/// The names that others rely on.
enum NodeNames {
  static let filter = "nearend"
  static let speaker = "nearend.speaker"
  static let microphone = "nearend.microphone"
  static let sinkPrefix = "nearend.sink."

  /// True for the devices into which applications play.
  static func isSink(_ name: String) -> Bool { name == speaker || name.hasPrefix(sinkPrefix) }

  /// True for nearend's own nodes, which are never a route for its sound (R1).
  static func isOurs(_ name: String) -> Bool {
    name == filter || name == microphone || isSink(name)
  }
}
