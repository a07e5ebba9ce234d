import Border
internal import CPipeWire

/// PipeWire's string properties.
package typealias Properties = [String: String]

extension Properties {
  /// The most properties kept of one object; no program sets as many.
  static let mostProperties = 256

  /// Copies the properties of an object: made printable, and limited in number and length.
  init(_ dictionary: UnsafePointer<spa_dict>?) {
    self.init()
    guard let dictionary else { return }
    for k in 0..<Swift.min(Int(dictionary.pointee.n_items), Self.mostProperties) {
      let item = dictionary.pointee.items[k]
      if let key = item.key, let value = item.value { self[String(cString: key).printable()] = String(cString: value).printable() }
    }
  }

  /// Makes a pw_properties that the callee owns.
  func makePointer() -> UnsafeMutablePointer<pw_properties>? {
    var empty = spa_dict(flags: 0, n_items: 0, items: nil)
    let properties = pw_properties_new_dict(&empty)
    for (key, value) in self { pw_properties_set(properties, key, value) }
    return properties
  }

  /// Lends a spa_dict for the duration of `body`.
  func withDictionary<T>(_ body: (UnsafePointer<spa_dict>) -> T) -> T {
    let properties = makePointer()!
    defer { pw_properties_free(properties) }
    return body(&properties.pointee.dict)
  }
}
