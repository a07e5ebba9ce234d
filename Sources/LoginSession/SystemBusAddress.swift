internal import MessageBus

/// The address of the system's D-Bus. [any]
public enum SystemBusAddress: Sendable, Equatable {
  /// `DBUS_SYSTEM_BUS_ADDRESS`, or the system's default.
  case standard
  /// An address in D-Bus's syntax, "unix:path=/run/dbus/system_bus_socket".
  case address(String)
  /// No bus is used.
  case none

  var bus: Bus.Address? {
    switch self {
    case .standard: .system
    case .address(let text): .at(text)
    case .none: nil
    }
  }
}
