/// What is kept of the daemon's registry. Any client may bring objects without end, and properties as long as it likes: what is beyond
/// these bounds is left out.
struct ObjectMirror {
  /// Objects that are kept; a busy session has some hundreds.
  static let mostObjects = 16_384
  private let most: Int
  /// Bytes of all their properties.
  static let mostText = 16 << 20

  /// By id.
  private(set) var objects: [UInt32: GlobalObject] = [:]
  /// Bytes of the properties of those that are kept.
  private(set) var text = 0

  init(most: Int = mostObjects) { self.most = most }

  /// A Boolean value indicating whether a quarter of the room is free.
  var hasRoom: Bool { 4 * objects.count <= 3 * most && 4 * text <= 3 * Self.mostText }

  /// False where there is no room.
  mutating func add(_ object: GlobalObject) -> Bool {
    _ = remove(object.id)
    let size = object.properties.textSize
    guard objects.count < most, text + size <= Self.mostText else { return false }
    objects[object.id] = object
    text += size
    return true
  }

  /// nil where there is none.
  mutating func remove(_ id: UInt32) -> GlobalObject? {
    guard let object = objects.removeValue(forKey: id) else { return nil }
    text -= object.properties.textSize
    return object
  }
}

extension Properties {
  fileprivate var textSize: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
}
