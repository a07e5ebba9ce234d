import Glibc

extension StringProtocol {
  /// Without blanks and tabs at either end. [any]
  public var trimmed: String {
    func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" || character == "\u{A0}" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}

extension String {
  /// With blanks behind it until it has `width` characters; a longer one is cut. [any]
  public func padded(to width: Int) -> String {
    let count = count
    return count < width ? self + String(repeating: " ", count: width - count) : String(prefix(width))
  }
}

/// A number with a fixed count of decimals, as C's `%.2f` writes it in every locale. [any]
public func fixed(_ value: Double, _ decimals: Int) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400) { buffer in
    buffer.initialize(repeating: 0)
    withVaList([Int32(decimals), value]) { _ = vsnprintf(buffer.baseAddress!, buffer.count, "%.*f", $0) }
    return String(cString: buffer.baseAddress!)
  }
}
