import Foundation
import PipeWireGraph
import Platform
import SessionModel

/// What people have changed while nearend ran, to be restored at the next start (O4). [any]
package struct Remembered: Codable, Sendable, Equatable {
  /// By the setting's name.
  private var settings: [String: EventValue] = [:]
  /// Linear gains of participants by id, the one changed last at the end.
  private var gains: [Gain] = []

  private struct Gain: Codable, Equatable {
    var id: String
    var gain: Double
  }

  /// Maximum number of remembered participants; a further one replaces the one changed first.
  static let mostParticipants = 100

  package init() {}

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // A file from another version, or an edited one: unknown settings and invalid values are dropped.
    for (name, value) in try container.decodeIfPresent([String: EventValue].self, forKey: .settings) ?? [:] {
      guard let setting = Setting(rawValue: name), let value = try? setting.checked(value) else { continue }
      self[setting] = value
    }
    for entry in try container.decodeIfPresent([Gain].self, forKey: .gains) ?? [] where (0...4).contains(entry.gain) {
      setGain(entry.gain, of: entry.id)
    }
  }

  /// The names of everything that is remembered: settings, then participants.
  package var names: [String] { settings.keys.sorted() + gains.map(\.id) }

  package var isEmpty: Bool { settings.isEmpty && gains.isEmpty }

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
  /// A Boolean value indicating whether the last value is restored at start. The microphone's mute is not, because a restored mute state
  /// surprises users in either direction; `echoCancellation` is covered by `echoCanceller`.
  package var isRemembered: Bool { self != .microphoneMuted && self != .echoCancellation }
}

/// `remembered.json`: written whole or not at all, and by one process at a time. [any]
package struct RememberedFile: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  private static let largest = 1 << 20

  /// Reads the file; nil if there is none. One that was read and makes no sense is put aside, reported to `complain`, and holds `known`.
  /// - Parameter known: what it held before; nil if that is unknown, and then lost.
  /// - Throws: `SystemError` if it cannot be read now, which says nothing of what is in it.
  package func read(known: Remembered? = nil, complain: (String) -> Void) throws(SystemError) -> Remembered? {
    do { return try DurableFile.read(Remembered.self, path, atMost: Self.largest) } catch {
      if let error = error as? SystemError { throw error }
      let aside = DurableFile.putAside(path)
      let follows = known == nil ? "what was changed in earlier runs is forgotten" : "what it held before is written again"
      complain("\(path) makes no sense, so \(follows): \(error)\(aside.map { "; it is kept as \($0)" } ?? "")")
      return known ?? Remembered()
    }
  }

  /// Reads without changing anything; empty, and reported to `complain`, if the file cannot be read or makes no sense.
  package func peek(complain: (String) -> Void) -> Remembered {
    do { return try DurableFile.read(Remembered.self, path, atMost: Self.largest) ?? Remembered() } catch {
      complain("\(path) cannot be read: \(error)")
      return Remembered()
    }
  }

  /// Changes the file's contents, locked against other processes. Where nothing is remembered any more, the file says so: one that is gone
  /// was lost, and is no reset.
  /// - Parameter known: what it held before, in place of a file that is gone or makes no sense.
  /// - Throws: if the file cannot be read, locked or written now; then it stays as it was.
  package func update(
    known: Remembered? = nil, complain: (String) -> Void = { _ in }, _ change: (inout Remembered) -> Void
  ) throws -> Remembered {
    try DurableFile.locked(path) {
      let before = try read(known: known, complain: complain) ?? known ?? Remembered()
      var remembered = before
      change(&remembered)
      // One that makes no sense was put aside.
      let isLost = known != nil && access(path, F_OK) != 0
      if remembered != before || isLost { try DurableFile.write(remembered, path) }
      return remembered
    }
  }
}
