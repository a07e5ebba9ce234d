import Glibc
import Platform
import SessionModel
import Synchronization

/// Writes to `remembered.json` what people change, the changes of a moment at once, and reads what another process writes there. [any]
final class RememberedWriter: Sendable {
  private struct State {
    /// Changes that are not written yet.
    var settings: [Setting: EventValue] = [:]
    var gains: [String: Double] = [:]
    var preset: String?
    /// Whether writing is scheduled.
    var isScheduled = false
    /// Failures in a row; only the first is reported.
    var failures = 0
    var stamp: FileStamp
    /// What the file held when it was last read or written.
    var known: Remembered
    var written: (@Sendable (Remembered, Bool) -> Void)?

    var isUnwritten: Bool { !settings.isEmpty || !gains.isEmpty || preset != nil }
  }
  private let file: RememberedFile
  private let queue: SerialThread
  private let warn: @Sendable (String) -> Void
  private let state: Mutex<State>

  /// Seconds for which changes are collected before they are written.
  private static let gathering = 0.3
  /// Seconds after which what could not be written is tried again, doubled each time.
  private static let retry = (first: 1.0, last: 60.0)

  /// - Parameter known: what the file holds.
  init(_ file: RememberedFile, known: Remembered = Remembered(), queue: SerialThread, warn: @escaping @Sendable (String) -> Void) {
    self.file = file
    self.queue = queue
    self.warn = warn
    state = Mutex(State(stamp: FileStamp(file.path), known: known))
  }

  var path: String { file.path }

  /// Calls `body` with the file's contents, on the queue, after each time that this object has written it, and with whether another process
  /// had changed it before, which `changedContents` has not told.
  func onWritten(_ body: @escaping @Sendable (Remembered, _ hasOthersChanges: Bool) -> Void) { state.withLock { $0.written = body } }

  func remember(_ setting: Setting, _ value: EventValue) { schedule { $0.settings[setting] = value } }

  func remember(gain: Double, of participant: String) { schedule { $0.gains[participant] = gain } }

  func remember(preset: String) { schedule { $0.preset = preset } }

  private func schedule(_ change: (inout State) -> Void) {
    let isFirst = state.withLock { state in
      change(&state)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { write(after: Self.gathering) }
  }

  private func write(after seconds: Double) { queue.async(after: seconds) { [weak self] in self?.write() } }

  /// Writes the changes that are not written yet; those that cannot be written now are kept, and tried again. Called on the queue.
  func write() {
    let (settings, gains, preset, known, written) = state.withLock { state in
      defer { (state.settings, state.gains, state.preset, state.isScheduled) = ([:], [:], nil, false) }
      return (state.settings, state.gains, state.preset, state.known, state.written)
    }
    guard !settings.isEmpty || !gains.isEmpty || preset != nil else { return }
    do {
      var (hasOthersChanges, stamp) = (false, FileStamp(file.path))
      // Of the new file before it is there: an editor may write at once, and knows no lock.
      let contents = try file.update(known: known, complain: warn, willReplace: { stamp = FileStamp($0) }) { remembered in
        // Locked against other processes.
        stamp = FileStamp(file.path)
        hasOthersChanges = state.withLock { $0.stamp != stamp }
        for (setting, value) in settings { remembered[setting] = value }
        for (id, gain) in gains { remembered.setGain(gain, of: id) }
        if let preset { remembered.preset = preset }
      }
      let hadFailed = state.withLock { state in
        defer { (state.stamp, state.known, state.failures) = (stamp, contents, 0) }
        return state.failures > 0
      }
      if hadFailed { warn("\(file.path) is written again") }
      written?(contents, hasOthersChanges)
    } catch {
      let (failures, isScheduled) = state.withLock { state in
        // What was changed meanwhile holds.
        state.settings.merge(settings) { newer, _ in newer }
        state.gains.merge(gains) { newer, _ in newer }
        state.preset = state.preset ?? preset
        state.failures += 1
        defer { state.isScheduled = true }
        return (state.failures, state.isScheduled)
      }
      if failures == 1 { warn("\(file.path) cannot be written; changes are kept until it can be: \(error)") }
      if !isScheduled { write(after: min(Self.retry.last, Self.retry.first * Double(1 << min(failures - 1, 8)))) }
    }
  }

  /// Returns the file's contents if another process has changed it; nil if not, if it is gone or cannot be read now, or if changes of this
  /// process are still to be written: they are added to the other's, and `onWritten` tells. Called on the queue.
  func changedContents() -> Remembered? {
    let stamp = FileStamp(file.path)
    let isOther = state.withLock { state in !state.isUnwritten && state.stamp != stamp }
    guard isOther else { return nil }
    do {
      let known = state.withLock { $0.known }
      let contents = try file.repaired(known: known, complain: warn)
      state.withLock { state in
        state.stamp = stamp
        state.known = contents ?? known
      }
      return contents
    } catch {
      warn("\(file.path) cannot be read now: \(error)")
      return nil
    }
  }
}
