import ArgumentParser
import DashboardTerminal
import DashboardView
import Foundation
import Preferences
import SessionModel

/// The values of `--glyphs`.
typealias GlyphChoice = RunOption.Glyphs

extension RunOption.Glyphs: ExpressibleByArgument {
  /// nil for what the locale allows.
  var set: GlyphSet? {
    switch self {
    case .auto: nil
    case .unicode: .unicode
    case .compat: .compat
    case .ascii: .ascii
    }
  }
}

/// The dashboard on this process's terminal.
struct TerminalDisplay {
  private let dashboard: Dashboard

  /// Ends the process with a message if the terminal cannot show a dashboard, before anything else has begun. `instead` is the alternative
  /// that the message names.
  static func checked(_ options: DisplayOptions, glyphs: GlyphChoice? = nil, instead: String = "use --headless") -> TerminalDisplay {
    do {
      try Dashboard.checkTerminal()
    } catch {
      fail(error.words(instead: instead), .noTerminal)
    }
    return TerminalDisplay(dashboard: Dashboard(options: DashboardOptions(glyphs: (options.glyphs ?? glyphs)?.set)))
  }

  /// Shows the dashboard until `q`, or until a stop is requested.
  func run(
    _ stop: StopRequest, carriesSound: Bool = false, extraKeys: ExtraKeys? = nil, snapshot: () -> Snapshot, history: () -> CallHistory,
    perform: (Command) -> Void
  ) throws(DashboardError) {
    stop.whenRequested { [dashboard] in dashboard.stop() }
    try dashboard.run(carriesSound: carriesSound, extraKeys: extraKeys, snapshot: snapshot, history: history, perform: perform)
  }
}
