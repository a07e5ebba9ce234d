import Foundation

/// A file that comes to be at `path` whole or not at all: what is written goes into another beside it, which takes its place at the end.
/// Whatever was there stays until then.
final class PendingFile {
  let path: String
  /// Where to write.
  let temporary: String
  let descriptor: Int32
  private var isDone = false

  /// - Throws: `OfflineError.output`, with the reason, where the file cannot be made.
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
    // A link stays one: what it points to is written.
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
    // mkstemp makes a file for us alone; this one is like any other.
    let mask = umask(0)
    umask(mask)
    fchmod(descriptor, target == nil ? 0o666 & ~mask : status.st_mode & 0o777)
  }

  deinit {
    close(descriptor)
    if !isDone { unlink(temporary) }
  }

  /// Puts the file in its place. - Throws: `OfflineError.output`.
  func finish() throws(OfflineError) {
    // A disk that is full may say so only here.
    guard fsync(descriptor) == 0 || errno == EINVAL, rename(temporary, path) == 0 else { throw .output(file: path, reason: systemReason()) }
    isDone = true
  }
}

/// Whether two paths lead to the same file, by whatever names.
func areSameFile(_ a: String, _ b: String) -> Bool {
  var first = stat(), second = stat()
  guard stat(a, &first) == 0, stat(b, &second) == 0 else { return false }
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino
}
