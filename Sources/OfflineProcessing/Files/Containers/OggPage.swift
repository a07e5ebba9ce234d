/// A page of Ogg: a head, the sizes of what it holds, and that.
struct OggPage {
  let place, size: Int
  /// Of its stream, among those that are told apart by it.
  let serial: Int
  /// Counts the pages of its stream, modulo 2³².
  let number: Int
  /// How far its stream reaches with the last packet that ends here, in the codec's units; nil if none does.
  let position: Int?
  /// Whether it is its stream's first, or last.
  let begins, ends: Bool
  /// The first byte of what it holds.
  let body: Int

  private static let head = 27

  init?(_ file: FileBytes, _ place: Int) {
    guard file.has("OggS", at: place), let flags = file.byte(place + 5), let position = file.number(place + 6, 8, .little),
      let serial = file.number(place + 14, 4, .little), let number = file.number(place + 18, 4, .little), let count = file.byte(place + 26)
    else { return nil }
    let sizes = file.bytes(place + Self.head, Int(count))
    guard sizes.count == Int(count) else { return nil }
    (self.place, self.serial, self.number, begins, ends) = (place, serial, number, flags & 2 != 0, flags & 4 != 0)
    body = place + Self.head + sizes.count
    size = sizes.reduce(Self.head + sizes.count) { $0 + Int($1) }
    // −1, cut to the largest number here, says that no packet ends.
    self.position = position < 1 << 60 ? position : nil
  }

  /// Whether it agrees with its checksum. Decoders pass over one that does not.
  func isIntact(_ file: FileBytes) -> Bool {
    var bytes = [UInt8](repeating: 0, count: size)
    guard bytes.withUnsafeMutableBytes({ file.copy(to: $0, from: place) }) == size else { return false }
    let told = (22..<26).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[$1]) }
    for place in 22..<26 { bytes[place] = 0 }
    return bytes.withUnsafeBytes { Self.checksum($0) } == told
  }

  private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    remainders.withUnsafeBufferPointer { remainders in
      var sum: UInt32 = 0
      for byte in bytes { sum = sum << 8 ^ remainders[Int(UInt8(truncatingIfNeeded: sum >> 24) ^ byte)] }
      return sum
    }
  }

  /// Of each byte, by Ogg's polynomial.
  private static let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { sum, _ in sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
  }
}
