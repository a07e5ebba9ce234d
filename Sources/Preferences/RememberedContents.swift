import Border
import Foundation
import Platform
import SessionModel

/// What `remembered.json` says, which an editor or another version may have written: what is valid of it, and what is not. [any]
struct RememberedContents: Decodable {
  /// A part of the file that cannot be used.
  struct Fault: Equatable {
    enum Place: Equatable {
      case setting(Setting)
      /// Of the participant of this id.
      case gain(String)
      case other
    }
    let place: Place
    /// The key, the value, and what would be right.
    let words: String
  }

  private(set) var valid = Remembered()
  private(set) var faults: [Fault] = []

  private enum Keys: CodingKey { case settings, gains, preset }

  /// A value of any kind, so that one of the wrong kind costs no other.
  private struct Anything: Decodable {
    /// nil for null, an array or an object.
    let value: EventValue?

    init(from decoder: any Decoder) { value = try? EventValue(from: decoder) }

    var words: String { value?.inTOML ?? "null, a list or a table" }
  }

  private struct Gain: Decodable {
    let id: String
    let gain: Anything
  }

  /// - Throws: `DecodingError` where nothing can be made of the whole: a file without settings says nothing, and is no reset.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    let settings = try container.decode([String: Anything].self, forKey: .settings)
    for (name, said) in settings.sorted(by: { $0.key < $1.key }) { read(name.printable(), said) }
    for entry in try container.decodeIfPresent([Gain].self, forKey: .gains) ?? [] { read(entry) }
    if let name = try? container.decodeIfPresent(String.self, forKey: .preset), IdRule.problem(name) == nil { valid.preset = name }
  }

  private mutating func read(_ name: String, _ said: Anything) {
    guard let setting = Setting(rawValue: name) else {
      return faults.append(Fault(place: .other, words: "there is no setting '\(name)'"))
    }
    guard setting.isRemembered else { return faults.append(Fault(place: .other, words: "\(name) is not remembered")) }
    guard let value = said.value.flatMap({ try? setting.checked($0) }) else {
      let words = "\(name) cannot be \(said.words.printable()): give \(setting.possible)"
      return faults.append(Fault(place: .setting(setting), words: words))
    }
    valid[setting] = value
  }

  private mutating func read(_ entry: Gain) {
    let gain: Double? =
      switch entry.gain.value {
      case .integer(let number): Double(number)
      case .number(let number): number
      case .bool, .string, nil: nil
      }
    guard let gain, (0...4).contains(gain) else {
      let words = "the gain of \(entry.id.printable()) cannot be \(entry.gain.words.printable()): give a number from 0 to 4"
      return faults.append(Fault(place: .gain(entry.id), words: words))
    }
    valid.setGain(gain, of: entry.id)
  }

  /// Returns what is valid, and what was known before in place of what is not.
  func completed(by known: Remembered?) -> Remembered {
    var all = valid
    for fault in faults {
      switch fault.place {
      case .setting(let setting): all[setting] = known?[setting]
      case .gain(let id): if let gain = known?.gain(of: id), all.gain(of: id) == nil { all.setGain(gain, of: id) }
      case .other: break
      }
    }
    return all
  }

  /// What people are told about the faults: each with what holds instead, and what to do.
  func complaints(_ path: String, known: Remembered?) -> [String] {
    let all = faults.map { fault in
      let follows =
        switch fault.place {
        case .setting(let setting): Self.follows(known?[setting]?.inTOML, "'nearend set \(setting.rawValue)'")
        case .gain(let id): Self.follows(known?.gain(of: id).map { "\($0)" }, "the dashboard")
        case .other: "it is left out"
        }
      return "\(path): \(fault.words); \(follows)"
    }
    let more = all.count - Self.mostComplaints
    return Array(all.prefix(Self.mostComplaints)) + (more > 0 ? ["\(path): \(more) more entries are not valid"] : [])
  }

  private static let mostComplaints = 8

  private static func follows(_ known: String?, _ command: String) -> String {
    known.map { "it stays \($0), which \(command) changes" } ?? "it is left out; \(command) sets it"
  }
}
