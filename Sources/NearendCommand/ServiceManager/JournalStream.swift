import Foundation
import SessionModel

/// Whether what a descriptor takes goes to the systemd journal, which reads a line's level from its beginning, as sd-daemon(3) describes
/// it. [any]
struct JournalStream: Sendable {
  let isJournal: Bool

  /// `$JOURNAL_STREAM` names the journal's end by device and inode: whoever leads the descriptor elsewhere inherits the variable all the
  /// same.
  init(_ environment: [String: String], descriptor: Int32) {
    var status = stat()
    guard let name = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0 else {
      isJournal = false
      return
    }
    isJournal = name == "\(status.st_dev):\(status.st_ino)"
  }

  /// A text as the journal wants it, which takes each line for itself; nil where the reader is another.
  func line(_ level: LogEntry.Level, _ text: String) -> String? {
    guard isJournal else { return nil }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { "<\(level.priority)>\($0)" }.joined(separator: "\n")
  }
}

/// Standard error's.
let journal = JournalStream(ProcessInfo.processInfo.environment, descriptor: STDERR_FILENO)

extension LogEntry.Level {
  /// syslog(3)'s.
  fileprivate var priority: Int32 {
    switch self {
    case .info: LOG_INFO
    case .warning: LOG_WARNING
    case .error: LOG_ERR
    }
  }
}
