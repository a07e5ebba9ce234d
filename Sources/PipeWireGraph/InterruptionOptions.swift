import LoginSession

/// Where the system's D-Bus is. [any]
public typealias SystemBusAddress = LoginSession.SystemBusAddress

/// What interrupts a session beside its own graph (I1). [any]
public struct InterruptionOptions: Sendable {
  /// What becomes of a session while another login session has the seat.
  public enum Inactivity: String, Sendable, CaseIterable {
    /// It is interrupted, and the devices are free for whoever sits there now.
    case stop
    /// It goes on; what else interrupts it meanwhile is recovered on return only (I3).
    case goOn = "continue"
  }
  /// A running stream with one of these roles (`media.role`, in any case) interrupts, unless it is a client of nearend's own devices.
  public var roles: [String]
  /// Where the login manager tells of sleep and of the seat.
  public var systemBus: SystemBusAddress
  public var whenInactive: Inactivity

  /// The roles of a telephone's call and of an alarm.
  public static let defaultRoles = ["Phone", "Emergency"]

  public init(
    roles: [String] = defaultRoles, systemBus: SystemBusAddress = .standard, whenInactive: Inactivity = .stop
  ) {
    self.roles = roles
    self.systemBus = systemBus
    self.whenInactive = whenInactive
  }
}
