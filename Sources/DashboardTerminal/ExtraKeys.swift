import DashboardView

/// Additional keys of the dashboard's caller, such as a rehearsal's. [any]
public struct ExtraKeys: Sendable {
  /// The keys and their meaning, for the help.
  public var label: String
  public var meaning: String
  /// Called for each key that the dashboard does not use; returns a remark for the footer, or nil if it is not used here either.
  public var press: @Sendable (Key) -> String?

  public init(label: String, meaning: String, press: @escaping @Sendable (Key) -> String?) {
    self.label = label
    self.meaning = meaning
    self.press = press
  }
}
