/// An interface that an object of ours has, as others on the bus find it: properties, all of them read-only, and what introspection tells.
/// Its methods are answered by whoever serves the object.
package struct BusInterface {
  let name: String
  let properties: () -> [String: BusValue]
  /// Its methods, signals and properties in D-Bus's XML, without the element `interface` around them.
  let description: String

  package init(_ name: String, description: String, properties: @escaping () -> [String: BusValue]) {
    (self.name, self.description, self.properties) = (name, description, properties)
  }

  private static let propertiesInterface = "org.freedesktop.DBus.Properties"

  /// Answers a call about properties or for introspection; returns false for any other.
  package func answer(_ call: BusMessage) -> Bool {
    switch (call.interface, call.member) {
    case ("org.freedesktop.DBus.Introspectable", "Introspect"):
      guard call.has("") else { return refuse(call, "Introspect takes no arguments") }
      call.reply { $0.append("<node><interface name=\"\(name)\">\(description)</interface></node>") }
    case (Self.propertiesInterface, "Get"):
      guard call.has("ss"), let interface = call.readText(), let property = call.readText() else {
        return refuse(call, "Get takes an interface and a property: ss")
      }
      guard interface == name, let value = properties()[property] else {
        call.refuse("org.freedesktop.DBus.Error.UnknownProperty", "\(name) has no such property")
        return true
      }
      call.reply { $0.append(value) }
    case (Self.propertiesInterface, "GetAll"):
      guard call.has("s"), let interface = call.readText() else { return refuse(call, "GetAll takes an interface: s") }
      guard interface == name else {
        call.refuse("org.freedesktop.DBus.Error.UnknownInterface", "this object has \(name) alone")
        return true
      }
      call.reply { $0.appendDictionary(properties()) }
    case (Self.propertiesInterface, "Set"):
      call.refuse("org.freedesktop.DBus.Error.PropertyReadOnly", "properties of \(name) cannot be set")
    default: return false
    }
    return true
  }

  private func refuse(_ call: BusMessage, _ reason: String) -> Bool {
    call.refuse(BusMessage.invalidArguments, reason)
    return true
  }
}
