import DashboardView

/// Keys that are not nearend's but those of whoever shows the dashboard, as a rehearsal's. [any]
public struct ExtraKeys: Sendable {
  /// For the help: the keys, and what they do.
  public var label: String
  public var meaning: String
  /// Called for each key that means nothing to the dashboard; gives a remark for the footer, or nil where it means nothing here either.
  public var press: @Sendable (Key) -> String?

  public init(label: String, meaning: String, press: @escaping @Sendable (Key) -> String?) {
    self.label = label
    self.meaning = meaning
    self.press = press
  }
}
