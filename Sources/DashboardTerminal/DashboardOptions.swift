import DashboardView

/// The appearance of the dashboard. [any]
public struct DashboardOptions: Equatable, Sendable {
  /// nil: unicode if the locale's codeset is UTF-8, otherwise ascii. Without UTF-8 only ascii can be drawn, whatever is set here.
  public var glyphs: GlyphSet?
  /// nil: if the terminal has colours and `NO_COLOR` is unset or empty (no-color.org).
  public var usesColor: Bool?
  /// Frames per second, 1–60. Nothing is sent to the terminal when nothing has changed.
  public var refreshRate: Double

  public init(glyphs: GlyphSet? = nil, usesColor: Bool? = nil, refreshRate: Double = 10) {
    self.glyphs = glyphs
    self.usesColor = usesColor
    self.refreshRate = refreshRate
  }
}
