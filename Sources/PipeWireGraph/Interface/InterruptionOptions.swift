import LoginSession

/// The sources of a session's interruptions besides its own graph (I1). [any]
public struct InterruptionOptions: Sendable {
  /// The behaviour of a session while another login session has the seat.
  public enum Inactivity: String, Sendable, CaseIterable {
    /// It is interrupted, which releases the devices for the active login session.
    case stop
    /// It continues; other interruptions meanwhile are recovered only on return (I3).
    case goOn = "continue"
  }
  /// Roles (`media.role`, case-insensitive) whose running streams interrupt, unless their client uses nearend's devices.
  public var roles: [String]
  /// The bus on which the login manager reports sleep and the seat.
  public var systemBus: SystemBusAddress
  /// The behaviour while another login session has the seat (I3).
  public var whenInactive: Inactivity

  /// The roles of telephone calls and alarms.
  public static let defaultRoles = ["Phone", "Emergency"]

  /// Creates options; by default calls, alarms and another login session at the seat interrupt.
  public init(
    roles: [String] = defaultRoles, systemBus: SystemBusAddress = .standard, whenInactive: Inactivity = .stop
  ) {
    self.roles = roles
    self.systemBus = systemBus
    self.whenInactive = whenInactive
  }
}
