import Foundation
import SessionModel

/// Determines whether a descriptor leads to the systemd journal, which reads the level from the beginning of each line (sd-daemon(3)).
/// [any]
struct JournalStream: Sendable {
  let isJournal: Bool

  /// Compares the descriptor with the device and inode in `$JOURNAL_STREAM`, because the variable is inherited even if the descriptor is
  /// redirected.
  init(_ environment: [String: String], descriptor: Int32) {
    var status = stat()
    guard let name = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0 else {
      isJournal = false
      return
    }
    isJournal = name == "\(status.st_dev):\(status.st_ino)"
  }

  /// Returns the text with a level on each line, as the journal expects; nil if the descriptor does not lead to the journal.
  func line(_ level: LogEntry.Level, _ text: String) -> String? {
    guard isJournal else { return nil }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { "<\(level.priority)>\($0)" }.joined(separator: "\n")
  }
}

/// The journal stream of standard error.
let journal = JournalStream(ProcessInfo.processInfo.environment, descriptor: STDERR_FILENO)

extension LogEntry.Level {
  /// The priority of syslog(3).
  fileprivate var priority: Int32 {
    switch self {
    case .info: LOG_INFO
    case .warning: LOG_WARNING
    case .error: LOG_ERR
    }
  }
}
