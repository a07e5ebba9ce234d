import Foundation
import SessionModel

/// What nearend has changed outside itself and must restore, after a crash, too (R2, R6, D3). [any]
struct StateFile: Sendable {
  struct Content: Codable, Equatable {
    /// The session's former configured defaults, by metadata key; "" for none.
    var formerDefaults: [String: String] = [:]
    /// A Bluetooth headset's profile.
    var headset: HeadsetProfile.Change?
    /// Streams of other applications that are lowered; nil if none is (D3).
    var ducked: [DuckedStream]?
  }
  /// nil: nothing is saved.
  let path: String?

  /// - Parameter folder: `$XDG_STATE_HOME/nearend`.
  init(folder: String?) { path = folder.map { "\($0)/restore.json" } }

  /// In bytes; nearend writes far less.
  private static let largest = 1 << 20

  /// Returns empty content if there is no file. A file that cannot be read is put aside, and reported by `complain`.
  func read(complain: (String) -> Void = { _ in }) -> Content {
    guard let path, FileManager.default.fileExists(atPath: path) else { return Content() }
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? file.close() }
      let data = try file.read(upToCount: Self.largest + 1) ?? Data()
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

  /// Writes atomically and synced; empty content removes the file.
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
    guard rename(new, path) == 0 else { throw Self.reason }
    try Self.sync(folder.path, O_RDONLY | O_DIRECTORY)
  }

  private static var reason: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  private static func write(_ data: Data, to path: String) throws {
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw reason }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: data)
    guard fsync(descriptor) == 0 else { throw reason }
    try file.close()
  }

  private static func sync(_ path: String, _ flags: Int32) throws {
    let descriptor = open(path, flags | O_CLOEXEC)
    guard descriptor >= 0 else { throw reason }
    defer { close(descriptor) }
    // Some file systems cannot sync a folder, and report so.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw reason }
  }
}
