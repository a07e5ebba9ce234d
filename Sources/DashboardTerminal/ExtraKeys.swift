import DashboardView

/// Additional keys of the dashboard's caller, such as a rehearsal's. [any]
package struct ExtraKeys: Sendable {
  /// The keys and their meaning, for the help.
  package var label: String
  package var meaning: String
  /// Called for each key that the dashboard does not use; returns a remark for the footer, or nil if it is not used here either.
  package var press: @Sendable (Key) -> String?

  package init(label: String, meaning: String, press: @escaping @Sendable (Key) -> String?) {
    self.label = label
    self.meaning = meaning
    self.press = press
  }
}
