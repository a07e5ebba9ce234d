import ArgumentParser
import Border
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

extension RunOption.Glyphs {
  /// The characters of lines on standard output: those chosen, or what the locale allows.
  static func set(_ choice: GlyphChoice?) -> GlyphSet {
    if let set = choice?.set { return set }
    let environment = ProcessInfo.processInfo.environment
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    return locale.uppercased().includes("UTF") ? .unicode : .ascii
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
    picture: () -> CallHistory, perform: (Command) -> String?
  ) throws(DashboardError) {
    stop.whenRequested { [dashboard] in dashboard.stop() }
    try dashboard.run(
      carriesSound: carriesSound, extraKeys: extraKeys, snapshot: snapshot, history: history, picture: picture, perform: perform)
  }
}
