/// The kept part of a metadata object, in which any client may set anything: the values of known keys, and the streams that follow the
/// default.
struct MetadataValues {
  /// The most streams kept; far fewer play or record at a time.
  static let mostStreams = 4_096
  /// The longest value in bytes; a longer one counts as missing.
  static let longestValue = 4_096
  /// The longest target of a stream in bytes.
  static let longestTarget = 256

  /// The target of a stream, as far as it matters.
  private struct Target: Equatable {
    /// `target.node` is −1.
    var followsDefault = false
    /// `target.node` is a node, or there is a `target.object`.
    var isMoved: Bool { hasNode || hasObject }
    var hasNode = false
    var hasObject = false
    /// `target.object`; nil where it is too long to be a node's name.
    var object: String?
  }

  /// The keys of subject 0 that are kept.
  let keys: Set<String>
  private(set) var values: [String: String] = [:]
  private var targets: [UInt32: Target] = [:]
  /// Whether there were more streams than are kept.
  private(set) var isFull = false

  static let targetNode = "target.node"
  static let targetObject = "target.object"

  init(keys: Set<String>) { self.keys = keys }

  /// Streams that the session manager lets follow the default, regardless of the device that they asked for: it has set their `target.node`
  /// to −1, and nobody has moved them since (moving also sets `target.object`).
  var followers: [UInt32] { targets.filter { $0.value.followsDefault && !$0.value.isMoved }.map(\.key) }

  /// Returns where a stream was told to be, by name or serial number (`target.object`).
  func target(of stream: UInt32) -> String? { targets[stream]?.object }

  /// Records that a value was set, or removed with nil; a nil key means all of the subject's. Returns false if the change is irrelevant.
  mutating func set(_ subject: UInt32, _ key: String?, _ value: String?) -> Bool {
    guard subject != 0 else { return set(key, value) }
    guard let key else { return targets.removeValue(forKey: subject) != nil }
    guard key == Self.targetNode || key == Self.targetObject else { return false }
    var target = targets[subject] ?? Target()
    if key == Self.targetNode {
      (target.followsDefault, target.hasNode) = (value == "-1", value != nil && value != "-1")
    } else {
      (target.hasObject, target.object) = (value != nil, value.flatMap { $0.utf8.count <= Self.longestTarget ? $0 : nil })
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

  /// Drops a stream, which is back on the device that it asked for.
  mutating func forget(_ stream: UInt32) { targets[stream] = nil }
}
