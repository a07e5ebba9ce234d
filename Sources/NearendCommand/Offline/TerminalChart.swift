import Border
import Foundation
import OfflineProcessing

/// A chart on standard output, as wide as $COLUMNS says.
struct TerminalChart {
  private let glyphs: ChartText.Glyphs

  /// - Parameter choice: the characters; nil and auto use what the locale allows.
  init(_ choice: GlyphChoice?) {
    if let choice, choice != .auto {
      glyphs = choice == .unicode ? .unicode : .ascii
      return
    }
    let environment = ProcessInfo.processInfo.environment
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    glyphs = locale.uppercased().includes("UTF") ? .unicode : .ascii
  }

  func print(_ chart: Chart) {
    let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80
    for line in ChartText(glyphs: glyphs, columns: columns).lines(of: chart) { Swift.print(line) }
  }
}
