import DashboardView

/// The appearance of the dashboard. [any]
package struct DashboardOptions: Equatable, Sendable {
  /// nil: unicode if the locale's codeset is UTF-8, otherwise ascii. Without UTF-8 only ascii can be drawn, whatever is set here.
  package var glyphs: GlyphSet?
  /// nil: if the terminal has colours and `NO_COLOR` is unset or empty (no-color.org).
  package var usesColor: Bool?
  /// Frames per second, 1–60. Nothing is sent to the terminal when nothing has changed.
  package var refreshRate: Double

  package init(glyphs: GlyphSet? = nil, usesColor: Bool? = nil, refreshRate: Double = 10) {
    self.glyphs = glyphs
    self.usesColor = usesColor
    self.refreshRate = refreshRate
  }
}
