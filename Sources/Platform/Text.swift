import Glibc

extension StringProtocol {
  /// The text without blanks and tabs at either end. [any]
  package var trimmed: String {
    func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" || character == "\u{A0}" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}

extension StringProtocol {
  /// Returns whether the text contains `part`. [any]
  package func includes(_ part: String) -> Bool { contains(part) }

  /// The text with percent-escapes decoded; nil if one is incomplete or not hexadecimal, or the result is not UTF-8. [any]
  package var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2).map { Character(UnicodeScalar($0)).hexDigitValue }
      guard digits.count == 2, let high = digits[0], let low = digits[1] else { return nil }
      bytes.append(UInt8(high * 16 + low))
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension String {
  /// Returns the text padded with blanks to `width` characters; a longer one is cut. [any]
  package func padded(to width: Int) -> String {
    let count = count
    return count < width ? self + String(repeating: " ", count: width - count) : String(prefix(width))
  }
}

/// Formats a number with a fixed count of decimals and a decimal point, whatever the locale. [any]
package func fixed(_ value: Double, _ decimals: Int) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400) { buffer in
    buffer.initialize(repeating: 0)
    withVaList([Int32(decimals), value]) { _ = vsnprintf(buffer.baseAddress!, buffer.count, "%.*f", $0) }
    return String(cString: buffer.baseAddress!)
  }
}
