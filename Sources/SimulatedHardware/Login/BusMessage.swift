internal import SystemdLibrary

/// A value that the simulated services put into variants.
enum BusValue: Equatable {
  case text(String)
  case flag(Bool)
  case number(UInt64)

  var signature: String {
    switch self {
    case .text: "s"
    case .flag: "b"
    case .number: "t"
    }
  }
}

/// A message of sd-bus, with a retained reference.
final class BusMessage {
  private let message: OpaquePointer

  init(retaining message: OpaquePointer) { self.message = sd_bus_message_ref(message) }

  deinit { sd_bus_message_unref(message) }

  var interface: String { sd_bus_message_get_interface(message).map { String(cString: $0) } ?? "" }
  var member: String { sd_bus_message_get_member(message).map { String(cString: $0) } ?? "" }
  var path: String { sd_bus_message_get_path(message).map { String(cString: $0) } ?? "" }

  /// Reads the next argument; nil if it is missing or not a string.
  func readText() -> String? {
    var text: UnsafePointer<CChar>?
    return sd_bus_message_read_basic(message, code("s"), &text) > 0 ? text.map { String(cString: $0) } : nil
  }

  /// Answers this call with the arguments appended by `fill`.
  func reply(_ fill: (BusMessage) -> Void) {
    var answer: OpaquePointer?
    guard sd_bus_message_new_method_return(message, &answer) >= 0, let answer else { return }
    fill(BusMessage(retaining: answer))
    sd_bus_send(nil, answer, nil)
    sd_bus_message_unref(answer)
  }

  func append(_ text: String) { _ = text.withCString { sd_bus_message_append_basic(message, code("s"), $0) } }
  func appendPath(_ path: String) { _ = path.withCString { sd_bus_message_append_basic(message, code("o"), $0) } }

  func append(_ flag: Bool) {
    var value: Int32 = flag ? 1 : 0
    sd_bus_message_append_basic(message, code("b"), &value)
  }

  /// Appends a duplicate of the descriptor; the caller keeps and closes its own.
  func append(descriptor: Int32) {
    var value = descriptor
    sd_bus_message_append_basic(message, code("h"), &value)
  }

  /// Appends a variant.
  func append(_ value: BusValue) {
    sd_bus_message_open_container(message, code("v"), value.signature)
    switch value {
    case .text(let text): append(text)
    case .flag(let flag): append(flag)
    case .number(var number): sd_bus_message_append_basic(message, code("t"), &number)
    }
    sd_bus_message_close_container(message)
  }

  /// Appends `a{sv}`.
  func appendDictionary(_ values: [String: BusValue]) {
    sd_bus_message_open_container(message, code("a"), "{sv}")
    for (key, value) in values {
      sd_bus_message_open_container(message, code("e"), "sv")
      append(key)
      append(value)
      sd_bus_message_close_container(message)
    }
    sd_bus_message_close_container(message)
  }

  /// Appends `as`.
  func appendStrings(_ values: [String]) {
    sd_bus_message_open_container(message, code("a"), "s")
    for value in values { append(value) }
    sd_bus_message_close_container(message)
  }

  /// The D-Bus code of a type.
  private func code(_ letter: Character) -> CChar { CChar(letter.asciiValue!) }
}
