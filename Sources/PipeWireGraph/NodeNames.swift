/// The names that others rely on.
enum NodeNames {
  static let filter = "nearend"
  static let speaker = "nearend.speaker"
  static let microphone = "nearend.microphone"
  static let sinkPrefix = "nearend.sink."

  /// True of nearend's own nodes, which are never a route for its sound (R1).
  static func isOurs(_ name: String) -> Bool {
    name == filter || name == speaker || name == microphone || name.hasPrefix(sinkPrefix)
  }
}
