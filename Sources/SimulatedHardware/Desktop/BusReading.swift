import MessageBus
internal import SystemdLibrary

extension BusMessage {
  /// The rest of its arguments, of the types that `BusValue` has.
  var values: [BusValue] {
    var values: [BusValue] = []
    while let value = readValue() { values.append(value) }
    return values
  }

  private func readValue() -> BusValue? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard sd_bus_message_peek_type(message, &type, &contents) > 0 else { return nil }
    let signature = contents.map { String(cString: $0) } ?? ""
    switch Character(UnicodeScalar(UInt8(type))) {
    case "s": return readText().map(BusValue.text)
    case "o": return readText("o").map(BusValue.path)
    case "b": return readFlag().map(BusValue.flag)
    case "u": return readNumber().map(BusValue.count)
    case "i": return readInteger().map(BusValue.integer)
    case "v": return inside("v", signature) { .variant($0.first ?? .text("")) }
    case "r": return inside("r", signature) { .structure($0) }
    case "a" where signature == "{sv}": return readDictionary()
    case "a" where signature == "y":
      var bytes: UnsafeRawPointer?
      var count = 0
      guard sd_bus_message_read_array(message, CChar(UInt8(ascii: "y")), &bytes, &count) >= 0 else { return nil }
      return .bytes(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    case "a": return inside("a", signature) { .array(of: signature, $0) }
    default: return nil
    }
  }

  private func inside(_ container: Character, _ signature: String, _ make: ([BusValue]) -> BusValue) -> BusValue? {
    guard sd_bus_message_enter_container(message, CChar(container.asciiValue ?? 0), signature) > 0 else { return nil }
    let inner = values
    sd_bus_message_exit_container(message)
    return make(inner)
  }

  private func readDictionary() -> BusValue? {
    guard sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), "{sv}") >= 0 else { return nil }
    var dictionary: [String: BusValue] = [:]
    while sd_bus_message_enter_container(message, CChar(UInt8(ascii: "e")), "sv") > 0 {
      if let key = readText(), case .variant(let value)? = readValue() { dictionary[key] = value }
      sd_bus_message_exit_container(message)
    }
    sd_bus_message_exit_container(message)
    return .dictionary(dictionary)
  }
}
