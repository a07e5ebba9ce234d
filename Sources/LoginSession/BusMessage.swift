internal import SystemdLibrary

/// A message of sd-bus, valid while whoever hands it out says so.
struct BusMessage {
  private let message: OpaquePointer

  init(_ message: OpaquePointer) { self.message = message }

  /// What was said against a call; nil of any other message.
  var failure: String? {
    guard sd_bus_message_is_method_error(message, nil) > 0, let error = sd_bus_message_get_error(message) else { return nil }
    return error.pointee.message.map { String(cString: $0) } ?? error.pointee.name.map { String(cString: $0) } ?? "refused"
  }

  /// The object that it is of or for.
  var path: String { sd_bus_message_get_path(message).map { String(cString: $0) } ?? "" }

  func append(_ text: String) { _ = text.withCString { sd_bus_message_append_basic(message, Self.code("s"), $0) } }
  func append(_ number: UInt32) {
    var number = number
    sd_bus_message_append_basic(message, Self.code("u"), &number)
  }

  /// The next argument; nil where it is no string or path, or there is none.
  func readText(_ type: Character = "s") -> String? {
    var text: UnsafePointer<CChar>?
    return sd_bus_message_read_basic(message, Self.code(type), &text) > 0 ? text.map { String(cString: $0) } : nil
  }

  func readFlag() -> Bool? {
    var flag: Int32 = 0
    return sd_bus_message_read_basic(message, Self.code("b"), &flag) > 0 ? flag != 0 : nil
  }

  /// The flag in the variant that comes next.
  func readVariantFlag() -> Bool? {
    sd_bus_message_enter_container(message, Self.code("v"), "b") > 0 ? readFlag() : nil
  }

  /// A file descriptor, the message's own: whoever keeps it makes a copy.
  func readDescriptor() -> Int32? {
    var descriptor: Int32 = -1
    return sd_bus_message_read_basic(message, Self.code("h"), &descriptor) > 0 ? descriptor : nil
  }

  /// D-Bus's code of a type.
  private static func code(_ letter: Character) -> CChar { CChar(letter.asciiValue ?? 0) }
}
