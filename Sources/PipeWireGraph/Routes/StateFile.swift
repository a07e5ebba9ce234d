import Foundation
import SessionModel

/// What nearend has changed outside itself and must put back, also after a crash (R2, R6, D3). [any]
struct StateFile: Sendable {
  struct Content: Codable, Equatable {
    /// The session's configured defaults before ours, by metadata key; "" where there was none.
    var formerDefaults: [String: String] = [:]
    /// A Bluetooth headset's profile.
    var headset: HeadsetProfile.Change?
    /// Streams of other applications that are lowered; nil where none is (D3).
    var ducked: [DuckedStream]?
  }
  /// nil: nothing is kept.
  let path: String?

  /// In `$XDG_STATE_HOME/nearend`.
  init(folder: String?) { path = folder.map { "\($0)/restore.json" } }

  /// Nothing where there is no file, or none that can be read.
  func read() -> Content {
    guard let path, let data = FileManager.default.contents(atPath: path) else { return Content() }
    return (try? JSONDecoder().decode(Content.self, from: data)) ?? Content()
  }

  /// Whole or not at all; an empty content leaves no file.
  func write(_ content: Content) throws {
    guard let path else { return }
    guard content != Content() else {
      if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
      return
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(content).write(to: URL(fileURLWithPath: path), options: .atomic)
  }
}
