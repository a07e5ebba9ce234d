import Foundation
import SessionModel
import Synchronization

/// A file of JSON lines. At its limit it is renamed to "<path>.1", replacing the previous one, so there are at most two files. [any]
final class TelemetryFile: Sendable {
  /// In bytes: about a week of busy calls.
  static let limit = 10 << 20

  private let path: String
  private let limit: Int
  private let descriptor: Mutex<Int32>

  /// Opens the file; a new one is readable only by its owner.
  /// - Throws: `TelemetryConfigurationError.badFile`.
  init(path: String, limit: Int = TelemetryFile.limit) throws(TelemetryConfigurationError) {
    self.path = path
    self.limit = limit
    let opened = Self.open(path)
    guard opened >= 0 else { throw .badFile(path: path, reason: String(cString: strerror(errno))) }
    var information = stat()
    // A pipe whose reader goes away would end the process.
    guard fstat(opened, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw .badFile(path: path, reason: "it is no regular file")
    }
    descriptor = Mutex(opened)
  }

  deinit {
    descriptor.withLock { if $0 >= 0 { close($0) } }
  }

  /// Appends a line, whole or not at all.
  func append(_ line: Data) throws {
    try descriptor.withLock { descriptor in
      if descriptor < 0 { descriptor = Self.open(path) }
      var size = try Self.size(descriptor, path)
      if size > 0, size + line.count + 1 > limit {
        guard rename(path, path + ".1") == 0 else { throw Failure(path) }
        close(descriptor)
        descriptor = Self.open(path)
        size = try Self.size(descriptor, path)
      }
      do { try Self.write(line + [0x0A], to: descriptor, path) } catch {
        // Part of the line may have been written before the disk was full.
        ftruncate(descriptor, size)
        throw error
      }
    }
  }

  private static func size(_ descriptor: Int32, _ path: String) throws -> Int {
    var information = stat()
    guard descriptor >= 0, fstat(descriptor, &information) == 0 else { throw Failure(path) }
    return Int(information.st_size)
  }

  private static func write(_ data: Data, to descriptor: Int32, _ path: String) throws {
    var rest = data
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw Failure(path) }
      rest = rest.dropFirst(written)
    }
  }

  private static func open(_ path: String) -> Int32 { Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600) }

  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ path: String) { description = "\(path): \(String(cString: strerror(errno)))" }
  }
}
