import Foundation
import OfflineProcessing

/// A chart on standard output, as wide as $COLUMNS says.
struct TerminalChart {
  private let glyphs: ChartText.Glyphs

  /// - Parameter choice: the characters; nil and auto use what the locale allows.
  init(_ choice: GlyphChoice?) {
    glyphs = GlyphChoice.set(choice) == .unicode ? .unicode : .ascii
  }

  func print(_ chart: Chart) {
    let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80
    for line in ChartText(glyphs: glyphs, columns: columns).lines(of: chart) { Swift.print(line) }
  }
}
