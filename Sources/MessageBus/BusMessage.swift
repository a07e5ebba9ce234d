internal import SystemdLibrary

/// A message of sd-bus, valid as long as its provider says.
package struct BusMessage {
  /// The `sd_bus_message`.
  package let message: OpaquePointer

  package init(_ message: OpaquePointer) { self.message = message }

  /// The error of a failed call; nil for any other message.
  package var failure: String? {
    guard sd_bus_message_is_method_error(message, nil) > 0, let error = sd_bus_message_get_error(message) else { return nil }
    return error.pointee.message.map { String(cString: $0) } ?? error.pointee.name.map { String(cString: $0) } ?? "refused"
  }

  /// The unique name of the connection that sent it, ":1.7", as the bus vouches for it; a signal may come from anybody. The bus itself is
  /// "org.freedesktop.DBus".
  package var sender: String { sd_bus_message_get_sender(message).map { String(cString: $0) } ?? "" }
  /// The path of the object that sent or receives it.
  package var path: String { sd_bus_message_get_path(message).map { String(cString: $0) } ?? "" }
  package var interface: String { sd_bus_message_get_interface(message).map { String(cString: $0) } ?? "" }
  package var member: String { sd_bus_message_get_member(message).map { String(cString: $0) } ?? "" }

  /// Appends text; `type` "o" is an object's path.
  package func append(_ text: String, _ type: Character = "s") {
    _ = text.withCString { sd_bus_message_append_basic(message, Self.code(type), $0) }
  }
  package func append(_ byte: UInt8) { append(byte, as: "y") }
  package func append(_ number: Int32) { append(number, as: "i") }
  package func append(_ number: UInt32) { append(number, as: "u") }
  package func append(_ number: UInt64) { append(number, as: "t") }
  package func append(_ flag: Bool) { append(Int32(flag ? 1 : 0), as: "b") }

  /// Appends a duplicate of the descriptor; the caller keeps and closes its own.
  package func append(descriptor: Int32) { append(descriptor, as: "h") }

  private func append<Value: BitwiseCopyable>(_ value: Value, as type: Character) {
    withUnsafeBytes(of: value) { _ = sd_bus_message_append_basic(message, Self.code(type), $0.baseAddress) }
  }

  /// Appends a container with what `fill` appends: an array "a", an entry of a dictionary "e", or a variant "v".
  package func append(_ container: Character, of signature: String, _ fill: () -> Void) {
    sd_bus_message_open_container(message, Self.code(container), signature)
    fill()
    sd_bus_message_close_container(message)
  }

  /// Reads the next argument; nil if it is missing or of another type than string or path.
  package func readText(_ type: Character = "s") -> String? {
    var text: UnsafePointer<CChar>?
    return sd_bus_message_read_basic(message, Self.code(type), &text) > 0 ? text.map { String(cString: $0) } : nil
  }

  package func readNumber() -> UInt32? {
    var number: UInt32 = 0
    return sd_bus_message_read_basic(message, Self.code("u"), &number) > 0 ? number : nil
  }

  package func readInteger() -> Int32? {
    var number: Int32 = 0
    return sd_bus_message_read_basic(message, Self.code("i"), &number) > 0 ? number : nil
  }

  /// Reads `as`; nil if the next argument is of another type. Entries after the first `limit` are left out.
  package func readStrings(atMost limit: Int = 256) -> [String]? {
    guard sd_bus_message_enter_container(message, Self.code("a"), "s") > 0 else { return nil }
    var strings: [String] = []
    while let string = readText() { if strings.count < limit { strings.append(string) } }
    sd_bus_message_exit_container(message)
    return strings
  }

  /// Whether its arguments have these types, all of them. What is read of such a message afterwards, in this order, is there.
  package func has(_ signature: String) -> Bool { sd_bus_message_has_signature(message, signature) > 0 }

  /// Reads an array whose elements have this signature, one by one by `read`; nil if the next argument is of another type. Elements after
  /// the first `limit` are left out.
  package func readArray<Element>(of signature: String, atMost limit: Int = 4096, _ read: () -> Element?) -> [Element]? {
    guard sd_bus_message_enter_container(message, Self.code("a"), signature) >= 0 else { return nil }
    var elements: [Element] = []
    while sd_bus_message_at_end(message, 0) == 0, let element = read() { if elements.count < limit { elements.append(element) } }
    sd_bus_message_exit_container(message)
    return elements
  }

  /// Reads a structure of this signature by `read`; nil if the next argument is of another type.
  package func readStructure<Value>(of signature: String, _ read: () -> Value?) -> Value? {
    guard sd_bus_message_enter_container(message, Self.code("r"), signature) > 0 else { return nil }
    defer { sd_bus_message_exit_container(message) }
    return read()
  }

  /// Passes over the next argument, which has this signature.
  package func skip(_ signature: String) { sd_bus_message_skip(message, signature) }

  package func readFlag() -> Bool? {
    var flag: Int32 = 0
    return sd_bus_message_read_basic(message, Self.code("b"), &flag) > 0 ? flag != 0 : nil
  }

  /// Reads the Boolean in the next variant.
  package func readVariantFlag() -> Bool? {
    sd_bus_message_enter_container(message, Self.code("v"), "b") > 0 ? readFlag() : nil
  }

  /// Reads a file descriptor that the message owns: duplicate it to keep it.
  package func readDescriptor() -> Int32? {
    var descriptor: Int32 = -1
    return sd_bus_message_read_basic(message, Self.code("h"), &descriptor) > 0 ? descriptor : nil
  }

  /// Answers this call with the arguments appended by `fill`.
  package func reply(_ fill: (BusMessage) -> Void) {
    var answer: OpaquePointer?
    guard sd_bus_message_new_method_return(message, &answer) >= 0, let answer else { return }
    fill(BusMessage(answer))
    sd_bus_send(nil, answer, nil)
    sd_bus_message_unref(answer)
  }

  /// Answers this call with an error of this name, such as `BusMessage.invalidArguments`, and with what is wrong, for people.
  package func refuse(_ name: String, _ reason: String) {
    name.withCString { name in
      reason.withCString { reason in
        var error = sd_bus_error(name: name, message: reason, _need_free: 0)
        sd_bus_reply_method_error(message, &error)
      }
    }
  }
  package static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"

  /// Appends an array of bytes.
  package func append(bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes { sd_bus_message_append_array(message, Self.code("y"), $0.baseAddress, $0.count) }
  }

  /// The D-Bus code of a type.
  private static func code(_ letter: Character) -> CChar { CChar(letter.asciiValue ?? 0) }
}
