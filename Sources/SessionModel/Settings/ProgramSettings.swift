/// The settings that the program around a session follows: it hears of changes as of any setting's. [any]
package struct ProgramSettings: Sendable, Equatable {
  /// Whether the program shows desktop notifications (O11).
  package var notifications = NotificationMode.auto
  /// Whether the program shows an icon in the desktop's tray.
  package var showsTrayIcon = false

  package init() {}
}
