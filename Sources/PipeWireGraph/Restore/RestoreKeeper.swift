import SessionModel

/// Keeps everything that nearend has changed outside itself and must restore, even after a crash, in memory and in the file. [control]
final class RestoreKeeper {
  private(set) var content: RestoreFile.Content
  private let file: RestoreFile
  /// A problem with an earlier run's file, until it has been reported.
  private var complaint: String?
  private let remark: (LogEntry.Level, String) -> Void

  init(_ file: RestoreFile, remark: @escaping (LogEntry.Level, String) -> Void) {
    self.file = file
    self.remark = remark
    var unread: String?
    content = file.read { unread = $0 }
    complaint = unread
  }

  /// Reports once that the file could not be read.
  func reportUnreadable() {
    if let complaint { remark(.warning, complaint) }
    complaint = nil
  }

  /// Changes what is to be restored. The change is on the disk when this returns.
  func change(_ change: (inout RestoreFile.Content) -> Void) {
    var new = content
    change(&new)
    guard new != content else { return }
    content = new
    do {
      try file.write(new)
    } catch {
      remark(.warning, "\(file.path ?? "") cannot be written; changes could not be undone after a crash: \(error)")
    }
  }
}

extension RestoreFile.Content {
  /// The session's former configured defaults.
  var configuredDefaults: [Device.Direction: SessionDefaults.Configured] {
    get {
      var former: [Device.Direction: SessionDefaults.Configured] = [:]
      for direction in Device.Direction.both { former[direction] = formerDefaults[direction.configuredKey].map { .init(metadata: $0) } }
      return former
    }
    set { for direction in Device.Direction.both { formerDefaults[direction.configuredKey] = newValue[direction]?.value } }
  }
}
