import DashboardView
import Glibc

/// Why the dashboard cannot run, with what to do. [any]
package enum DashboardError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Standard input or output is a file or a pipe.
  case notATerminal(stream: String)
  /// `TERM` is unset, empty, or unknown to terminfo.
  case unknownTerminal(String?)
  /// The terminal cannot move the cursor, for example `TERM=dumb`.
  case incapableTerminal(String)
  case tooSmall(found: Size)
  /// The terminal went away while the dashboard ran.
  case terminalLost
  /// A system call failed.
  case system(call: String, code: Int32)

  package var description: String { words(instead: "use --headless") }

  /// The message, with what to do instead if no terminal can show it. [any]
  package func words(instead: String) -> String {
    switch self {
    case .notATerminal(let stream):
      "standard \(stream) is not a terminal: run nearend in one, or \(instead)"
    case .unknownTerminal(nil):
      "TERM is not set, so the terminal's kind is not known: set it (for example TERM=xterm-256color), or \(instead)"
    case .unknownTerminal(let name?):
      "the terminal kind TERM=\(name) is not known here: set TERM to a known one (for example xterm-256color), or \(instead)"
    case .incapableTerminal(let name):
      "a terminal of kind TERM=\(name) cannot show a dashboard: set TERM to what it really is, or \(instead)"
    case .tooSmall(let found):
      "the terminal has \(found.width) columns and \(found.height) rows; the dashboard needs \(Size.smallest.width) and "
        + "\(Size.smallest.height): enlarge it, or \(instead)"
    case .terminalLost:
      "the terminal went away"
    case .system(let call, let code):
      "\(call) failed: \(String(cString: strerror(code)))"
    }
  }
}
