import Foundation
import Platform
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

  /// Bytes; what nearend writes is far smaller.
  private static let largest = 1 << 20

  /// Nothing where there is no file. One that cannot be read is put aside, and `complain` is told.
  func read(complain: (String) -> Void = { _ in }) -> Content {
    guard let path, FileManager.default.fileExists(atPath: path) else { return Content() }
    do {
      let data = Data(try contents(ofFile: path, atMost: Self.largest + 1))
      guard data.count <= Self.largest else { throw CocoaError(.fileReadTooLarge) }
      return try JSONDecoder().decode(Content.self, from: data)
    } catch {
      let aside = "\(path).unreadable"
      let isAside = rename(path, aside) == 0
      complain(
        "\(path) cannot be read, so what an earlier run has changed and not put back stays as it is: \(error)\(isAside ? "; it is kept as \(aside)" : "")"
      )
      return Content()
    }
  }

  /// Whole or not at all, on the disk when it returns; an empty content leaves no file.
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
    let new = "\(path).new"
    try Self.write(try encoder.encode(content), to: new)
    guard rename(new, path) == 0 else { throw SystemError.last }
    try Self.sync(folder.path, O_RDONLY | O_DIRECTORY)
  }

  private static func write(_ data: Data, to path: String) throws {
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError.last }
    defer { close(descriptor) }
    try Platform.write(data, to: descriptor)
    guard fsync(descriptor) == 0 else { throw SystemError.last }
  }

  private static func sync(_ path: String, _ flags: Int32) throws {
    let descriptor = open(path, flags | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError.last }
    defer { close(descriptor) }
    // Some file systems cannot sync a folder, and say so.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw SystemError.last }
  }
}
