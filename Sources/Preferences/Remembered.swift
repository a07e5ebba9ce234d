import Foundation
import PipeWireGraph
import SessionModel

/// What people have changed while nearend ran, to begin with the next time (O4). [any]
package struct Remembered: Codable, Sendable, Equatable {
  /// By the setting's name.
  private var settings: [String: EventValue] = [:]
  /// Linear gains of participants by id, the one changed last at the end.
  private var gains: [Gain] = []

  private struct Gain: Codable, Equatable {
    var id: String
    var gain: Double
  }

  /// Participants that are remembered; the one changed first goes when another comes.
  static let mostParticipants = 100

  package init() {}

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // Of another version, or edited: what is no setting, or no value of it, is not remembered.
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

  /// nil where nobody has changed it. What is not to be remembered never is.
  package subscript(setting: Setting) -> EventValue? {
    get { settings[setting.rawValue] }
    set { settings[setting.rawValue] = setting.isRemembered ? newValue : nil }
  }

  package func gain(of participant: String) -> Double? { gains.last { $0.id == participant }?.gain }

  /// nil forgets it.
  package mutating func setGain(_ gain: Double?, of participant: String) {
    gains.removeAll { $0.id == participant }
    guard let gain else { return }
    gains.append(Gain(id: participant, gain: gain))
    if gains.count > Self.mostParticipants { gains.removeFirst() }
  }
}

extension Setting {
  /// Whether the last value is restored at start. The microphone's mute is not, because a restored mute state surprises users in either
  /// direction; `echoCancellation` is covered by `echoCanceller`.
  package var isRemembered: Bool { self != .microphoneMuted && self != .echoCancellation }
}

/// `remembered.json`: written whole or not at all, and by one process at a time. [any]
package struct RememberedFile: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  private static let largest = 1 << 20

  /// Nothing where there is no file. One that cannot be read is put aside, and `complain` is told.
  package func read(complain: (String) -> Void) -> Remembered {
    do { return try DurableFile.read(Remembered.self, path, atMost: Self.largest) ?? Remembered() } catch {
      let aside = DurableFile.putAside(path)
      complain(
        "\(path) cannot be read, so what was changed in earlier runs is forgotten: \(error)\(aside.map { "; it is kept as \($0)" } ?? "")")
      return Remembered()
    }
  }

  /// The same, and leaves the file where it is.
  package func peek(complain: (String) -> Void) -> Remembered {
    do { return try DurableFile.read(Remembered.self, path, atMost: Self.largest) ?? Remembered() } catch {
      complain("\(path) cannot be read: \(error)")
      return Remembered()
    }
  }

  /// Changes what is there, held against others that do; nothing remembered leaves no file.
  package func update(complain: (String) -> Void = { _ in }, _ change: (inout Remembered) -> Void) throws -> Remembered {
    try DurableFile.locked(path) {
      let before = read(complain: complain)
      var remembered = before
      change(&remembered)
      if remembered != before { try DurableFile.write(remembered.isEmpty ? nil : remembered, path) }
      return remembered
    }
  }
}
