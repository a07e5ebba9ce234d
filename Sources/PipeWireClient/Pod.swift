import Border
internal import CPipeWire

/// A value in SPA's binary form, as sent by another process. Whatever sizes it claims, nothing outside `body` is read.
///
/// SPA's own readers trust the sizes: an array's child may be larger than the requested type, and a choice may be shorter than its child.
/// Points into the memory that it was created from, and is valid as long as that memory. [any]
struct Pod {
  let type: UInt32
  /// The content after the header, without padding.
  let body: UnsafeRawBufferPointer

  private static let headSize = 8

  /// The largest number of values read from an object or a struct.
  static let mostValues = 1_024

  /// - Parameter pod: as provided by libpipewire, with its outer size checked against the message.
  init?(_ pod: UnsafePointer<spa_pod>?) {
    guard let pod else { return nil }
    self.init(UnsafeRawBufferPointer(start: pod, count: Self.headSize + Int(pod.pointee.size)))
  }

  /// nil if there are fewer bytes than the header claims.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.headSize else { return nil }
    let size = Int(bytes.loadUnaligned(as: UInt32.self))
    guard size <= bytes.count - Self.headSize else { return nil }
    self.init(type: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self), body: bytes.dropping(Self.headSize, keeping: size))
  }

  private init(type: UInt32, body: UnsafeRawBufferPointer) { (self.type, self.body) = (type, body) }

  /// A choice of one value is that value, as in SPA.
  private var value: Pod {
    guard type == UInt32(SPA_TYPE_Choice), body.count >= 16, body.loadUnaligned(as: UInt32.self) == SPA_CHOICE_None.rawValue,
      let child = Pod(body.dropping(8, keeping: body.count - 8))
    else { return self }
    return child
  }

  private func read<T: BitwiseCopyable>(_ type: T.Type, of kind: UInt32) -> T? {
    let pod = value
    guard pod.type == kind, pod.body.count >= MemoryLayout<T>.size else { return nil }
    return pod.body.loadUnaligned(as: T.self)
  }

  var bool: Bool? { read(Int32.self, of: UInt32(SPA_TYPE_Bool)).map { $0 != 0 } }
  var id: UInt32? { read(UInt32.self, of: UInt32(SPA_TYPE_Id)) }
  var int: Int32? { read(Int32.self, of: UInt32(SPA_TYPE_Int)) }
  var long: Int64? { read(Int64.self, of: UInt32(SPA_TYPE_Long)) }
  var float: Float? { read(Float.self, of: UInt32(SPA_TYPE_Float)) }
  var double: Double? { read(Double.self, of: UInt32(SPA_TYPE_Double)) }

  /// The text, made printable and limited to `longestName` scalars.
  var text: String? {
    let pod = value
    guard pod.type == UInt32(SPA_TYPE_String), let end = pod.body.firstIndex(of: 0) else { return nil }
    return String(decoding: pod.body[..<end].prefix(8 * String.longestName), as: UTF8.self).printable()
  }

  var ints: [Int32]? { array(Int32.self, of: UInt32(SPA_TYPE_Int)) }
  var floats: [Float]? { array(Float.self, of: UInt32(SPA_TYPE_Float)) }

  /// At most `mostValues`; nil if it is not an array of this type.
  private func array<T: BitwiseCopyable>(_ type: T.Type, of kind: UInt32) -> [T]? {
    guard self.type == UInt32(SPA_TYPE_Array), body.count >= 8, body.loadUnaligned(as: UInt32.self) == MemoryLayout<T>.size,
      body.loadUnaligned(fromByteOffset: 4, as: UInt32.self) == kind
    else { return nil }
    let count = min((body.count - 8) / MemoryLayout<T>.size, Self.mostValues)
    return (0..<count).map { body.loadUnaligned(fromByteOffset: 8 + $0 * MemoryLayout<T>.size, as: T.self) }
  }

  /// The values of a struct; nil if this is not a struct. A truncated last value is omitted.
  var elements: [Pod]? {
    guard type == UInt32(SPA_TYPE_Struct) else { return nil }
    var (elements, offset): ([Pod], Int) = ([], 0)
    while elements.count < Self.mostValues, offset < body.count, let pod = Pod(body.dropping(offset, keeping: body.count - offset)) {
      elements.append(pod)
      offset += Self.headSize + Self.padded(pod.body.count)
    }
    return elements
  }

  /// Returns the properties of an object of this type, in order; nil if this is not such an object.
  func properties(of objectType: UInt32) -> [(key: UInt32, value: Pod)]? {
    guard type == UInt32(SPA_TYPE_Object), body.count >= 8, body.loadUnaligned(as: UInt32.self) == objectType else { return nil }
    var (properties, offset): ([(UInt32, Pod)], Int) = ([], 8)
    while properties.count < Self.mostValues, body.count - offset >= 16 {
      // Key and flags precede the value.
      guard let value = Pod(body.dropping(offset + 8, keeping: body.count - offset - 8)) else { break }
      properties.append((body.loadUnaligned(fromByteOffset: offset, as: UInt32.self), value))
      offset += 16 + Self.padded(value.body.count)
    }
    return properties
  }

  private static func padded(_ size: Int) -> Int { (size + 7) & ~7 }
}

extension [(key: UInt32, value: Pod)] {
  /// Returns the first value of that key.
  subscript(_ key: UInt32) -> Pod? { first { $0.key == key }?.value }
}

extension UnsafeRawBufferPointer {
  fileprivate func dropping(_ offset: Int, keeping count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[offset..<offset + count])
  }
}
