/// A checksum of bytes (FIPS 180-4), fed piece by piece. [any]
package struct SHA256: Sendable {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  private var waiting: [UInt8] = []
  private var length: UInt64 = 0
  private var schedule = [UInt32](repeating: 0, count: 64)

  /// Creates a checksum, at first that of no bytes.
  package init() {}

  /// Returns the checksum of `bytes` in hexadecimal.
  package static func hexadecimal(of bytes: [UInt8]) -> String {
    var sum = SHA256()
    bytes.withUnsafeBytes { sum.add($0) }
    return sum.hexadecimal()
  }

  /// Continues the checksum with a piece of any length.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    length &+= UInt64(bytes.count)
    var rest = bytes[...]
    if !waiting.isEmpty {
      let count = min(64 - waiting.count, rest.count)
      waiting += rest.prefix(count)
      rest = rest.dropFirst(count)
      guard waiting.count == 64 else { return }
      let block = waiting
      block.withUnsafeBytes { digest($0.baseAddress!) }
      waiting = []
    }
    while rest.count >= 64 {
      digest(UnsafeRawBufferPointer(rebasing: rest).baseAddress!)
      rest = rest.dropFirst(64)
    }
    waiting += rest
  }

  /// The sum, in hexadecimal: 64 digits.
  package func hexadecimal() -> String {
    var last = self
    let bits = length &* 8
    var padding: [UInt8] = [0x80]
    while (waiting.count + padding.count) % 64 != 56 { padding.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) { padding.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    padding.withUnsafeBytes { last.add($0) }
    let digits = Array("0123456789abcdef".utf8)
    let text = last.state.flatMap { word in stride(from: 28, through: 0, by: -4).map { digits[Int(word >> UInt32($0) & 15)] } }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func digest(_ block: UnsafeRawPointer) {
    schedule.withUnsafeMutableBufferPointer { w in
      for i in 0..<16 { w[i] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * i, as: UInt32.self)) }
      for i in 16..<64 {
        let early = w[i - 15], late = w[i - 2]
        let first = Self.rotated(early, 7) ^ Self.rotated(early, 18) ^ (early >> 3)
        let second = Self.rotated(late, 17) ^ Self.rotated(late, 19) ^ (late >> 10)
        w[i] = w[i - 16] &+ first &+ w[i - 7] &+ second
      }
      var (a, b, c, d, e, f, g, h) = (state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7])
      Self.constants.withUnsafeBufferPointer { constants in
        for i in 0..<64 {
          let choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c)
          let one = h &+ (Self.rotated(e, 6) ^ Self.rotated(e, 11) ^ Self.rotated(e, 25)) &+ choice &+ constants[i] &+ w[i]
          let two = (Self.rotated(a, 2) ^ Self.rotated(a, 13) ^ Self.rotated(a, 22)) &+ majority
          (h, g, f, e, d, c, b, a) = (g, f, e, d &+ one, c, b, a, one &+ two)
        }
      }
      for (i, value) in [a, b, c, d, e, f, g, h].enumerated() { state[i] &+= value }
    }
  }

  private static func rotated(_ value: UInt32, _ bits: UInt32) -> UInt32 { value >> bits | value << (32 - bits) }

  /// The fractions of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
