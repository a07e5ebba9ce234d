/// What is kept of a metadata object, in which any client may set anything: the values of known keys, and which streams follow the default.
struct MetadataValues {
  /// Streams that are remembered; those that play or record at a time are far fewer.
  static let mostStreams = 4_096
  /// Bytes of a value; a longer one is as good as none.
  static let longestValue = 4_096

  /// Where a stream is to go, as far as it matters.
  private struct Target: Equatable {
    /// `target.node` is −1.
    var followsDefault = false
    /// `target.node` is another, or there is a `target.object`.
    var isMoved: Bool { hasNode || hasObject }
    var hasNode = false
    var hasObject = false
  }

  /// The keys of subject 0 that are kept.
  let keys: Set<String>
  private(set) var values: [String: String] = [:]
  private var targets: [UInt32: Target] = [:]
  /// Whether there were more streams than are remembered.
  private(set) var isFull = false

  static let targetNode = "target.node"
  static let targetObject = "target.object"

  init(keys: Set<String>) { self.keys = keys }

  /// Streams that the session manager lets follow the default, whatever they asked for: it has set their `target.node` to −1, and nobody
  /// has moved them since (who does sets `target.object`, too).
  var followers: [UInt32] { targets.filter { $0.value.followsDefault && !$0.value.isMoved }.map(\.key) }

  /// A value was set, or removed with nil; a key of nil is all of the subject's. False where it is of no interest.
  mutating func set(_ subject: UInt32, _ key: String?, _ value: String?) -> Bool {
    guard subject != 0 else { return set(key, value) }
    guard let key else { return targets.removeValue(forKey: subject) != nil }
    guard key == Self.targetNode || key == Self.targetObject else { return false }
    var target = targets[subject] ?? Target()
    if key == Self.targetNode {
      (target.followsDefault, target.hasNode) = (value == "-1", value != nil && value != "-1")
    } else {
      target.hasObject = value != nil
    }
    guard target != Target() else { return targets.removeValue(forKey: subject) != nil }
    guard targets[subject] != nil || targets.count < Self.mostStreams else {
      isFull = true
      return false
    }
    targets[subject] = target
    return true
  }

  private mutating func set(_ key: String?, _ value: String?) -> Bool {
    guard let key else {
      defer { values = [:] }
      return !values.isEmpty
    }
    guard keys.contains(key) else { return false }
    values[key] = value.flatMap { $0.utf8.count <= Self.longestValue ? $0 : nil }
    return true
  }

  /// A stream is where it asked to go.
  mutating func forget(_ stream: UInt32) { targets[stream] = nil }
}
