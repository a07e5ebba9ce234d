import Foundation

/// Why files were not processed; no output remains in that case. [any]
package enum OfflineError: Error, Equatable, CustomStringConvertible {
  /// A file that cannot be read or processed.
  case input(file: String, reason: String)
  /// A file that cannot be written.
  case output(file: String, reason: String)
  case options(reason: String)
  case interrupted

  package var description: String {
    switch self {
    case .input(let file, let reason): "\(file): \(reason)"
    case .output(let file, let reason): "cannot write \(file): \(reason)"
    case .options(let reason): reason
    case .interrupted: "interrupted; nothing was written"
    }
  }
}

/// The text of `errno`.
func systemReason() -> String { String(cString: strerror(errno)) }
