import Foundation
import Platform
import SessionModel

/// Everything that nearend has changed outside itself and must restore, even after a crash (R2, R6, D3). [any]
struct RestoreFile: Sendable {
  struct Content: Codable, Equatable {
    /// The session's former configured defaults, by metadata key; "" for none.
    var formerDefaults: [String: String] = [:]
    /// A Bluetooth headset's profile.
    var headset: HeadsetProfile.Change?
    /// Streams of other applications that are lowered; nil if none is (D3).
    var ducked: [DuckedStream]?
  }
  /// The file's path; nil saves nothing.
  let path: String?

  /// - Parameter folder: `$XDG_STATE_HOME/nearend`.
  init(folder: String?) { path = folder.map { "\($0)/restore.json" } }

  /// The largest size in bytes; nearend writes far less.
  fileprivate static let largest = 1 << 20

  /// Reads the file; empty content if there is none. A file that cannot be read is put aside, and reported through `complain`.
  func read(complain: (String) -> Void = { _ in }) -> Content {
    guard let path else { return Content() }
    do {
      return try DurableFile.read(Content.self, path, atMost: Self.largest) ?? Content()
    } catch {
      let aside = DurableFile.putAside(path)
      complain(
        "\(path) cannot be read; changes left by an earlier run cannot be undone: \(error)\(aside.map { "; it is kept as \($0)" } ?? "")"
      )
      return Content()
    }
  }

  /// Writes atomically and synced; empty content removes the file.
  func write(_ content: Content) throws {
    guard let path else { return }
    try DurableFile.write(content == Content() ? nil : content, path)
  }
}

/// What a run that ended abnormally has left to restore. [any]
package enum Leftovers {
  /// Describes the content of the folder's `restore.json`; empty if it cannot be read.
  package static func names(folder: String) -> [String] {
    let file = RestoreFile(folder: folder)
    guard let path = file.path, let content = try? DurableFile.read(RestoreFile.Content.self, path, atMost: RestoreFile.largest)
    else { return [] }
    return [
      content.formerDefaults.isEmpty ? nil : "the session's default devices", content.headset.map { _ in "a Bluetooth headset's profile" },
      content.ducked?.isEmpty == false ? "other applications, which are lowered" : nil,
    ].compactMap { $0 }
  }
}
