internal import SystemdLibrary

/// A message of sd-bus, valid as long as its provider says.
struct BusMessage {
  private let message: OpaquePointer

  init(_ message: OpaquePointer) { self.message = message }

  /// The error of a failed call; nil for any other message.
  var failure: String? {
    guard sd_bus_message_is_method_error(message, nil) > 0, let error = sd_bus_message_get_error(message) else { return nil }
    return error.pointee.message.map { String(cString: $0) } ?? error.pointee.name.map { String(cString: $0) } ?? "refused"
  }

  /// The path of the object that sent or receives it.
  var path: String { sd_bus_message_get_path(message).map { String(cString: $0) } ?? "" }

  func append(_ text: String) { _ = text.withCString { sd_bus_message_append_basic(message, Self.code("s"), $0) } }
  func append(_ number: UInt32) {
    var number = number
    sd_bus_message_append_basic(message, Self.code("u"), &number)
  }

  /// Reads the next argument; nil if it is missing or of another type than string or path.
  func readText(_ type: Character = "s") -> String? {
    var text: UnsafePointer<CChar>?
    return sd_bus_message_read_basic(message, Self.code(type), &text) > 0 ? text.map { String(cString: $0) } : nil
  }

  func readFlag() -> Bool? {
    var flag: Int32 = 0
    return sd_bus_message_read_basic(message, Self.code("b"), &flag) > 0 ? flag != 0 : nil
  }

  /// Reads the Boolean in the next variant.
  func readVariantFlag() -> Bool? {
    sd_bus_message_enter_container(message, Self.code("v"), "b") > 0 ? readFlag() : nil
  }

  /// Reads a file descriptor that the message owns: duplicate it to keep it.
  func readDescriptor() -> Int32? {
    var descriptor: Int32 = -1
    return sd_bus_message_read_basic(message, Self.code("h"), &descriptor) > 0 ? descriptor : nil
  }

  /// The D-Bus code of a type.
  private static func code(_ letter: Character) -> CChar { CChar(letter.asciiValue ?? 0) }
}
