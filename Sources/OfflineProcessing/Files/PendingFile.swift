import Foundation

/// A file that appears at `path` complete or not at all: written to a temporary file beside it, which replaces it at the end. An existing
/// file stays until then.
final class PendingFile {
  let path: String
  /// The path to write to.
  let temporary: String
  let descriptor: Int32
  private var isDone = false

  /// - Throws: `OfflineError.output`, with the reason, if the file cannot be created.
  init(path: String) throws(OfflineError) {
    var status = stat()
    if stat(path, &status) == 0 {
      switch status.st_mode & S_IFMT {
      case S_IFREG: break
      case S_IFDIR: throw .output(file: path, reason: "it is a folder")
      default: throw .output(file: path, reason: "it is not a regular file")
      }
      guard access(path, W_OK) == 0 else { throw .output(file: path, reason: systemReason()) }
    }
    // A symbolic link stays one: its target is written.
    let target = realpath(path, nil).map { pointer in
      defer { free(pointer) }
      return String(cString: pointer)
    }
    self.path = target ?? path
    let url = URL(fileURLWithPath: self.path)
    let folder = url.deletingLastPathComponent().path
    var template = Array("\(folder)/.\(url.lastPathComponent.prefix(200)).XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw .output(file: path, reason: "\(folder): \(systemReason())") }
    self.descriptor = descriptor
    temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // mkstemp makes a private file; give it ordinary permissions.
    fchmod(descriptor, target == nil ? 0o666 & ~Self.mask : status.st_mode & 0o777)
  }

  /// The process's umask, read once: reading it changes it for a moment, for every thread.
  private static let mask: mode_t = {
    let mask = umask(0)
    umask(mask)
    return mask
  }()

  deinit {
    close(descriptor)
    if !isDone { unlink(temporary) }
  }

  /// Moves the file into place. - Throws: `OfflineError.output`.
  func finish() throws(OfflineError) {
    // A full disk may be reported only here.
    guard fsync(descriptor) == 0 || errno == EINVAL, rename(temporary, path) == 0 else { throw .output(file: path, reason: systemReason()) }
    isDone = true
  }
}

/// Returns whether two paths lead to the same file, by whatever names.
func areSameFile(_ a: String, _ b: String) -> Bool {
  var first = stat(), second = stat()
  guard stat(a, &first) == 0, stat(b, &second) == 0 else { return false }
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino
}
