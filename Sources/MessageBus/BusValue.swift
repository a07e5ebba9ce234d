/// A value in a variant.
package enum BusValue: Equatable, Sendable {
  case text(String)
  case flag(Bool)
  case number(UInt64)
  case byte(UInt8)

  fileprivate var signature: String {
    switch self {
    case .text: "s"
    case .flag: "b"
    case .number: "t"
    case .byte: "y"
    }
  }
}

extension BusMessage {
  /// Appends a variant.
  package func append(_ value: BusValue) {
    append("v", of: value.signature) {
      switch value {
      case .text(let text): append(text)
      case .flag(let flag): append(flag)
      case .number(let number): append(number)
      case .byte(let byte): append(byte)
      }
    }
  }

  /// Appends `a{sv}`.
  package func appendDictionary(_ values: [String: BusValue]) {
    append("a", of: "{sv}") {
      for (key, value) in values {
        append("e", of: "sv") {
          append(key)
          append(value)
        }
      }
    }
  }

  /// Appends `as`.
  package func appendStrings(_ values: [String]) { append("a", of: "s") { for value in values { append(value) } } }
}
