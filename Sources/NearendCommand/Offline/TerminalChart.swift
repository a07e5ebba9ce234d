import Foundation
import OfflineProcessing

/// Returns how wide standard output is: what $COLUMNS says, the terminal's width, or 80.
func standardOutputColumns() -> Int {
  if let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
  var size = winsize()
  return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
}

/// A chart on standard output, as wide as that is.
struct TerminalChart {
  private let glyphs: ChartText.Glyphs

  /// - Parameter choice: the characters; nil and auto use what the locale allows.
  init(_ choice: GlyphChoice?) {
    glyphs = GlyphChoice.set(choice) == .unicode ? .unicode : .ascii
  }

  func print(_ chart: Chart) {
    for line in ChartText(glyphs: glyphs, columns: standardOutputColumns()).lines(of: chart) { Swift.print(line) }
  }
}
