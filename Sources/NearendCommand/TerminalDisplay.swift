import ArgumentParser
import DashboardTerminal
import DashboardView
import Foundation
import SessionModel

/// `--glyphs`.
enum GlyphChoice: String, CaseIterable, ExpressibleByArgument {
  case unicode, compat, ascii

  var set: GlyphSet {
    switch self {
    case .unicode: .unicode
    case .compat: .compat
    case .ascii: .ascii
    }
  }
}

/// The dashboard on this process's terminal.
struct TerminalDisplay {
  private let dashboard: Dashboard

  /// Ends the process with a message if the terminal cannot show a dashboard, before anything else has begun. `instead` says what to do
  /// then.
  static func checked(_ options: DisplayOptions, instead: String = "use --headless") -> TerminalDisplay {
    do {
      try Dashboard.checkTerminal()
    } catch {
      fail(error.words(instead: instead), .noTerminal)
    }
    return TerminalDisplay(dashboard: Dashboard(options: DashboardOptions(glyphs: options.glyphs?.set)))
  }

  /// Shows it until `q`, or until a stop is requested.
  func run(
    _ stop: StopRequest, extraKeys: ExtraKeys? = nil, snapshot: () -> Snapshot, perform: (Command) -> Void
  ) throws(DashboardError) {
    stop.whenRequested { [dashboard] in dashboard.stop() }
    try dashboard.run(extraKeys: extraKeys, snapshot: snapshot, perform: perform)
  }
}
