import LoginSession

/// The address of the system's D-Bus. [any]
public typealias SystemBusAddress = LoginSession.SystemBusAddress

/// What interrupts a session besides its own graph (I1). [any]
public struct InterruptionOptions: Sendable {
  /// What a session does while another login session has the seat.
  public enum Inactivity: String, Sendable, CaseIterable {
    /// It is interrupted, which releases the devices for whoever sits there.
    case stop
    /// It continues; whatever else interrupts it meanwhile is recovered only on return (I3).
    case goOn = "continue"
  }
  /// Roles (`media.role`, case-insensitive) whose running streams interrupt, unless their client uses nearend's devices.
  public var roles: [String]
  /// The bus on which the login manager reports sleep and the seat.
  public var systemBus: SystemBusAddress
  /// What happens while another login session has the seat (I3).
  public var whenInactive: Inactivity

  /// The roles of telephone calls and alarms.
  public static let defaultRoles = ["Phone", "Emergency"]

  /// Creates options; by default calls and alarms interrupt, and so does another login session at the seat.
  public init(
    roles: [String] = defaultRoles, systemBus: SystemBusAddress = .standard, whenInactive: Inactivity = .stop
  ) {
    self.roles = roles
    self.systemBus = systemBus
    self.whenInactive = whenInactive
  }
}
