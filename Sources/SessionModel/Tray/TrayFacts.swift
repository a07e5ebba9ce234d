/// What the tray's icon and menu depend on, at one instant. [any]
package struct TrayFacts: Sendable {
  /// What nearend reports; nil while none runs.
  package var snapshot: Snapshot?
  /// Why no dashboard can be opened from here, in a few words; nil if one can.
  package var dashboardObstacle: String?
  /// Whether there is a service to start where no nearend runs.
  package var canStart = false

  package init(snapshot: Snapshot? = nil, dashboardObstacle: String? = nil, canStart: Bool = false) {
    self.snapshot = snapshot
    self.dashboardObstacle = dashboardObstacle
    self.canStart = canStart
  }
}

/// What a person does by the tray. [any]
package enum TrayAction: Sendable, Equatable {
  case command(Command)
  /// Opens the dashboard in a terminal.
  case openDashboard
  /// Starts nearend's service.
  case startService
  /// Takes the icon away.
  case close
}
