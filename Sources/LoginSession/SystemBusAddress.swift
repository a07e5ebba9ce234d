/// Where the system's D-Bus is. [any]
public enum SystemBusAddress: Sendable, Equatable {
  /// `DBUS_SYSTEM_BUS_ADDRESS`, or the system's own.
  case standard
  /// As D-Bus writes it, "unix:path=/run/dbus/system_bus_socket".
  case address(String)
  /// None is used.
  case none
}
