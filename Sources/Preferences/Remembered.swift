import Foundation
import PipeWireGraph
import Platform
import SessionModel

/// What people have changed while nearend ran, to be restored at the next start (O4). [any]
package struct Remembered: Encodable, Sendable, Equatable {
  /// By the setting's name.
  private var settings: [String: EventValue] = [:]
  /// Linear gains of participants by id, the one changed last at the end.
  private var gains: [Gain] = []

  /// The name of the preset that was loaded last.
  package var preset: String?

  private struct Gain: Encodable, Equatable {
    var id: String
    var gain: Double
  }

  /// Maximum number of remembered participants; a further one replaces the one changed first.
  static let mostParticipants = 100

  package init() {}

  /// The names of everything that is remembered: settings, then participants.
  package var names: [String] { settings.keys.sorted() + gains.map(\.id) }

  package var isEmpty: Bool { settings.isEmpty && gains.isEmpty && preset == nil }

  /// The remembered value; nil if nobody has changed it. Values of settings that are not remembered are ignored.
  package subscript(setting: Setting) -> EventValue? {
    get { settings[setting.rawValue] }
    set { settings[setting.rawValue] = setting.isRemembered ? newValue : nil }
  }

  package func gain(of participant: String) -> Double? { gains.last { $0.id == participant }?.gain }

  /// Remembers a gain; nil forgets it.
  package mutating func setGain(_ gain: Double?, of participant: String) {
    gains.removeAll { $0.id == participant }
    guard let gain else { return }
    gains.append(Gain(id: participant, gain: gain))
    if gains.count > Self.mostParticipants { gains.removeFirst() }
  }
}

extension Setting {
  /// Whether the last value is restored at start.
  package var isRemembered: Bool { !has(.isForgotten) }
}

/// `remembered.json`: written whole or not at all, and by one process at a time. [any]
package struct RememberedFile: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  private static let largest = 1 << 20

  /// Reads the file; nil if there is none. One that was read and makes no sense is put aside, and holds `known`, as does each value that is
  /// not valid; all of that is reported to `complain`.
  /// - Parameter known: what it held before; nil if that is unknown, and then lost.
  /// - Throws: `SystemError` if it cannot be read now, which says nothing of what is in it.
  package func read(known: Remembered? = nil, complain: (String) -> Void) throws(SystemError) -> Remembered? {
    try examine(known: known, complain: complain)?.remembered
  }

  /// - Returns: what the file holds, and whether that stands in it as it is; nil if there is none.
  private func examine(
    known: Remembered?, complain: (String) -> Void
  ) throws(SystemError) -> (remembered: Remembered, isSound: Bool)? {
    do {
      guard let contents = try DurableFile.read(RememberedContents.self, path, atMost: Self.largest) else { return nil }
      contents.complaints(path, known: known).forEach(complain)
      return (contents.completed(by: known), contents.faults.isEmpty)
    } catch {
      if let error = error as? SystemError { throw error }
      let aside = DurableFile.putAside(path)
      let follows = known == nil ? "what was changed in earlier runs is forgotten" : "what it held before is written again"
      complain("\(path) makes no sense, so \(follows): \(error)\(aside.map { "; it is kept as \($0)" } ?? "")")
      // Without what it held, it is not written: that would be a reset.
      return (known ?? Remembered(), known == nil)
    }
  }

  /// Reads without changing anything; what cannot be read, makes no sense or is not valid is reported to `complain`, and left out.
  package func peek(complain: (String) -> Void) -> Remembered {
    do {
      guard let contents = try DurableFile.read(RememberedContents.self, path, atMost: Self.largest) else { return Remembered() }
      contents.complaints(path, known: nil).forEach(complain)
      return contents.valid
    } catch {
      complain("\(path) cannot be read: \(error)")
      return Remembered()
    }
  }

  /// Changes the file's contents, locked against other processes. Where nothing is remembered any more, the file says so: one that is gone
  /// was lost, and is no reset.
  /// - Parameter known: what it held before, in place of a file that is gone or makes no sense, or of a value that is not valid.
  /// - Parameter willReplace: called with the path of the new file before it takes the old one's place; not called if nothing changes.
  /// - Throws: if the file cannot be read, locked or written now; then it stays as it was.
  package func update(
    known: Remembered? = nil, complain: (String) -> Void = { _ in }, willReplace: (String) -> Void = { _ in },
    _ change: (inout Remembered) -> Void
  ) throws -> Remembered {
    try DurableFile.locked(path) {
      let read = try examine(known: known, complain: complain)
      let before = read?.remembered ?? known ?? Remembered()
      var remembered = before
      change(&remembered)
      if remembered != before || !(read?.isSound ?? (known == nil)) {
        try DurableFile.write(remembered, path, willReplace: willReplace)
      }
      return remembered
    }
  }

  /// Reads the file for a process that knows what it held, and writes it anew where it is not sound.
  /// - Returns: what it holds now; nil if there is none.
  /// - Throws: `SystemError` if it cannot be read now.
  func repaired(known: Remembered, complain: (String) -> Void) throws(SystemError) -> Remembered? {
    guard let read = try examine(known: known, complain: complain) else { return nil }
    guard !read.isSound else { return read.remembered }
    // Read again, locked: another process may be changing it.
    do { return try update(known: known) { _ in } } catch {
      complain("\(path) cannot be written now: \(error)")
      return read.remembered
    }
  }
}
