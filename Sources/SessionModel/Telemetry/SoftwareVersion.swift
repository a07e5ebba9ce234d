/// A version of numbers separated by dots, "1.10.2", compared number by number: 1.9 < 1.10, and 1.10 equals 1.10.0. [any]
public struct SoftwareVersion: Sendable, Equatable, Comparable, CustomStringConvertible {
  /// The numbers, without trailing zeros.
  private let numbers: [Int]
  /// The parsed text, with its trailing zeros.
  public let description: String

  /// Parses a version; nil if the text is not one.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    var numbers: [Int] = []
    for part in parts {
      guard !part.isEmpty, part.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(part) else { return nil }
      numbers.append(number)
    }
    while numbers.last == 0 { numbers.removeLast() }
    self.numbers = numbers
    description = text
  }

  public static func == (a: Self, b: Self) -> Bool { a.numbers == b.numbers }
  public static func < (a: Self, b: Self) -> Bool { a.numbers.lexicographicallyPrecedes(b.numbers) }
}
