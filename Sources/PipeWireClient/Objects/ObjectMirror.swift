/// The kept part of the daemon's registry. Any client may create any number of objects with properties of any length: what exceeds these
/// bounds is omitted.
struct ObjectMirror {
  /// The most objects kept; a busy session has some hundreds.
  static let mostObjects = 16_384
  private let most: Int
  /// The most bytes of all their properties.
  static let mostText = 16 << 20

  /// The kept objects by id.
  private(set) var objects: [UInt32: GlobalObject] = [:]
  /// Bytes of the properties of the kept objects.
  private(set) var text = 0

  init(most: Int = mostObjects) { self.most = most }

  /// Whether a quarter of the capacity is free.
  var hasRoom: Bool { 4 * objects.count <= 3 * most && 4 * text <= 3 * Self.mostText }

  /// Adds an object, or replaces the one of its id. Returns false if there is no room.
  mutating func add(_ object: GlobalObject) -> Bool {
    _ = remove(object.id)
    let size = object.properties.textSize
    guard objects.count < most, text + size <= Self.mostText else { return false }
    objects[object.id] = object
    text += size
    return true
  }

  /// Removes and returns the object; nil if there is none.
  mutating func remove(_ id: UInt32) -> GlobalObject? {
    guard let object = objects.removeValue(forKey: id) else { return nil }
    text -= object.properties.textSize
    return object
  }
}

extension Properties {
  fileprivate var textSize: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
}
