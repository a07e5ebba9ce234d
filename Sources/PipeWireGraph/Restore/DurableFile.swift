import Foundation
import Platform

/// A document in a file, which exists as a whole or not at all, and is on the disk once it is written. [any]
package enum DurableFile {
  /// Reads the file; nil if there is none.
  package static func read<Content: Decodable>(_ type: Content.Type, _ path: String, atMost largest: Int) throws -> Content? {
    let data: Data
    do throws(SystemError) { data = Data(try contents(ofFile: path, atMost: largest + 1)) } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
    guard data.count <= largest else { throw CocoaError(.fileReadTooLarge) }
    return try JSONDecoder().decode(type, from: data)
  }

  /// Renames a file that was read and makes no sense, so that it is not lost, to a name that is free. Returns the new name; nil if renaming
  /// fails.
  package static func putAside(_ path: String) -> String? {
    for number in 1...most {
      let aside = "\(path).unreadable\(number == 1 ? "" : "-\(number)")"
      // A link never replaces a file, as a new name would. Some file systems have no links.
      if link(path, aside) == 0 { return unlink(path) == 0 ? aside : nil }
      if errno == EEXIST { continue }
      return access(aside, F_OK) != 0 && rename(path, aside) == 0 ? aside : nil
    }
    return nil
  }
  private static let most = 100

  /// Replaces the file, and creates its folder if needed; nil removes it.
  /// - Parameter willReplace: called with the path of the new file, which is complete, before it takes the old one's place.
  package static func write(_ content: (some Encodable)?, _ path: String, willReplace: (String) -> Void = { _ in }) throws {
    guard let content else {
      guard unlink(path) == 0 else {
        guard errno == ENOENT else { throw SystemError.last }
        return
      }
      // Without it, a loss of power could bring back what has already been restored.
      return try sync(folder(of: path).path)
    }
    let folder = try makeFolder(of: path)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let new = "\(path).new"
    try write(try encoder.encode(content), to: new)
    willReplace(new)
    guard rename(new, path) == 0 else { throw SystemError.last }
    try sync(folder)
  }

  /// Runs `body` while no other process runs one for a file of the same folder. Waits for two seconds at most: anybody who may read the
  /// folder may lock it.
  /// - Throws: `EWOULDBLOCK` if the lock stays another's.
  package static func locked<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    let descriptor = open(try makeFolder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError.last }
    defer { close(descriptor) }
    let end = monotonicSeconds() + patience
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR || errno == EWOULDBLOCK else { throw SystemError.last }
      guard monotonicSeconds() < end else {
        throw SystemError(code: EWOULDBLOCK, words: "another process holds the lock of \(folder(of: path).path)")
      }
      pause(seconds: 0.01)
    }
    return try body()
  }

  private static let patience = 2.0

  private static func makeFolder(of path: String) throws -> String {
    let folder = folder(of: path)
    try makeFolders(folder)
    return folder.path
  }

  private static func folder(of path: String) -> URL { URL(fileURLWithPath: path).deletingLastPathComponent() }

  // Avoids `FileManager`, whose errors have no readable text.
  private static func makeFolders(_ folder: URL) throws(SystemError) {
    guard access(folder.path, F_OK) != 0 else { return }
    try makeFolders(folder.deletingLastPathComponent())
    guard mkdir(folder.path, 0o700) == 0 || errno == EEXIST else { throw .last }
  }

  private static func write(_ data: Data, to path: String) throws {
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError.last }
    defer { close(descriptor) }
    try Platform.write(data, to: descriptor)
    guard fsync(descriptor) == 0 else { throw SystemError.last }
  }

  private static func sync(_ folder: String) throws {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError.last }
    defer { close(descriptor) }
    // Some file systems cannot sync a folder, and report EINVAL.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw SystemError.last }
  }
}
