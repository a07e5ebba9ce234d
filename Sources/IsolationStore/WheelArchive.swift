internal import ZLibLibrary

/// A wheel: a ZIP archive (PKWARE's APPNOTE 6.3), from which single files are read. Everything it declares is checked before use. [any]
struct WheelArchive {
  private struct Entry {
    var method: Int
    var packed: Int
    var size: Int
    var checksum: UInt32
    var offset: Int
  }

  private let bytes: [UInt8]
  private let file: String
  private var entries: [String: Entry] = [:]

  /// Maximum bytes of a file inside.
  static let largest = 64 << 20

  /// - Parameter file: the name used in errors.
  /// - Throws: `IsolationStoreError.archive`.
  init(_ bytes: [UInt8], file: String) throws(IsolationStoreError) {
    self.bytes = bytes
    self.file = file
    guard let end = Self.directoryEnd(bytes) else { throw .archive(file: file, reason: "it is no wheel: it has no directory") }
    var position = try number(at: end + 16, bytes: 4)
    for _ in 0..<(try number(at: end + 10, bytes: 2)) {
      guard try number(at: position, bytes: 4) == 0x0201_4b50 else { throw damaged }
      let lengths = (
        name: try number(at: position + 28, bytes: 2), extra: try number(at: position + 30, bytes: 2),
        comment: try number(at: position + 32, bytes: 2)
      )
      guard position + 46 + lengths.name <= bytes.count else { throw damaged }
      let name = String(decoding: bytes[position + 46..<position + 46 + lengths.name], as: UTF8.self)
      entries[name] = Entry(
        method: try number(at: position + 10, bytes: 2), packed: try number(at: position + 20, bytes: 4),
        size: try number(at: position + 24, bytes: 4), checksum: UInt32(try number(at: position + 16, bytes: 4)),
        offset: try number(at: position + 42, bytes: 4))
      position += 46 + lengths.name + lengths.extra + lengths.comment
    }
  }

  private var damaged: IsolationStoreError { .archive(file: file, reason: "it is damaged") }

  /// The contents of a file inside.
  /// - Throws: `IsolationStoreError.archive`.
  func contents(of name: String) throws(IsolationStoreError) -> [UInt8] {
    guard let entry = entries[name] else { throw .archive(file: file, reason: "it does not hold \(name)") }
    guard entry.size <= Self.largest, try number(at: entry.offset, bytes: 4) == 0x0403_4b50 else { throw damaged }
    let start = entry.offset + 30 + (try number(at: entry.offset + 26, bytes: 2)) + (try number(at: entry.offset + 28, bytes: 2))
    guard start + entry.packed <= bytes.count else { throw damaged }
    let packed = bytes[start..<start + entry.packed]
    let contents: [UInt8]? =
      switch entry.method {
      case 0: entry.size == entry.packed ? Array(packed) : nil
      case 8: Self.inflated(packed, size: entry.size)
      default: nil
      }
    guard let contents, Self.checksum(contents) == entry.checksum else { throw damaged }
    return contents
  }

  private func number(at position: Int, bytes count: Int) throws(IsolationStoreError) -> Int {
    guard position >= 0, position + count <= bytes.count else { throw damaged }
    return (0..<count).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
  }

  /// Returns the position of the end-of-directory record, which is followed by a comment of at most 64 KiB.
  private static func directoryEnd(_ bytes: [UInt8]) -> Int? {
    let signature: [UInt8] = [0x50, 0x4b, 5, 6]
    var position = bytes.count - 22
    while position >= 0, position >= bytes.count - 22 - 65_535 {
      if bytes[position] == 0x50, Array(bytes[position..<position + 4]) == signature { return position }
      position -= 1
    }
    return nil
  }

  /// Returns nil if the result is not exactly as long as declared.
  private static func inflated(_ packed: ArraySlice<UInt8>, size: Int) -> [UInt8]? {
    var stream = z_stream()
    // Raw deflate, without zlib's own header.
    guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var result = [UInt8](repeating: 0, count: size)
    let status = packed.withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        stream.next_in = UnsafeMutablePointer(mutating: source.bindMemory(to: UInt8.self).baseAddress)
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.bindMemory(to: UInt8.self).baseAddress
        stream.avail_out = UInt32(target.count)
        return inflate(&stream, Z_FINISH)
      }
    }
    return status == Z_STREAM_END && stream.avail_out == 0 ? result : nil
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: bytes.withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32($0.count)) })
  }
}
