/// A value of D-Bus's types, with those that it is made of.
package indirect enum BusValue: Equatable, Sendable {
  case text(String)
  /// An object's path.
  case path(String)
  case flag(Bool)
  case number(UInt64)
  case count(UInt32)
  case integer(Int32)
  case byte(UInt8)
  case bytes([UInt8])
  /// Values that all have this signature.
  case array(of: String, [BusValue])
  case structure([BusValue])
  /// `a{sv}`
  case dictionary([String: BusValue])
  case variant(BusValue)

  /// Its type, in D-Bus's letters.
  package var signature: String {
    switch self {
    case .text: "s"
    case .path: "o"
    case .flag: "b"
    case .number: "t"
    case .count: "u"
    case .integer: "i"
    case .byte: "y"
    case .bytes: "ay"
    case .array(let signature, _): "a\(signature)"
    case .structure(let values): "(\(values.map(\.signature).joined()))"
    case .dictionary: "a{sv}"
    case .variant: "v"
    }
  }
}

extension BusMessage {
  /// Appends a variant.
  package func append(_ value: BusValue) { append("v", of: value.signature) { append(bare: value) } }

  /// Appends a value by itself.
  package func append(bare value: BusValue) {
    switch value {
    case .text(let text): append(text)
    case .path(let path): append(path, "o")
    case .flag(let flag): append(flag)
    case .number(let number): append(number)
    case .count(let count): append(count)
    case .integer(let integer): append(integer)
    case .byte(let byte): append(byte)
    case .bytes(let bytes): append(bytes: bytes)
    case .array(let signature, let values): append("a", of: signature) { for value in values { append(bare: value) } }
    case .structure(let values): append("r", of: values.map(\.signature).joined()) { for value in values { append(bare: value) } }
    case .dictionary(let values): appendDictionary(values)
    case .variant(let value): append(value)
    }
  }

  /// Appends `a{sv}`.
  package func appendDictionary(_ values: [String: BusValue]) {
    append("a", of: "{sv}") {
      for (key, value) in values.sorted(by: { $0.key < $1.key }) {
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
