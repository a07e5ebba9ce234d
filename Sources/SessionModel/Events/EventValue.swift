/// A value in an event's detail, or of a setting: a JSON scalar. [any]
public enum EventValue: Codable, Sendable, Equatable {
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)

  /// Decodes a JSON scalar. A number without a fraction is an integer, even if it was encoded as `.number`.
  /// - Throws: `DecodingError` for null, an array or an object.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  /// Encodes the bare scalar.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    }
  }
}

extension EventValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(stringLiteral value: String) { self = .string(value) }
}

extension EventValue: CustomStringConvertible {
  /// The value in the form that people write.
  public var description: String {
    switch self {
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let value): value
    }
  }
}

extension EventValue {
  /// Wraps a word of a choice.
  public init(_ word: some RawRepresentable<String>) { self = .string(word.rawValue) }

  /// Returns the word of a choice; nil for any other value.
  public func word<Word: RawRepresentable<String>>(_ kind: Word.Type = Word.self) -> Word? {
    if case .string(let text) = self { Word(rawValue: text) } else { nil }
  }
}
