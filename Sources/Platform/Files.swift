import Glibc

/// The error of a system call. [any]
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
  /// `errno`.
  package var code: Int32
  /// Words that say more than the system's; nil for the system's.
  package var words: String?

  /// Creates the error for a value of `errno`.
  package init(code: Int32, words: String? = nil) { (self.code, self.words) = (code, words) }
  /// The error of the call that has just failed on this thread.
  package static var last: SystemError { SystemError(code: errno) }

  /// The system's words, "No such file or directory".
  package var description: String { words ?? String(cString: strerror(code)) }
}

/// Reads a whole file, at most `limit` bytes of it. Never waits: a pipe or a socket, which a folder may hold in place of a file, is an
/// error. [any]
package func contents(ofFile path: String, atMost limit: Int = .max) throws(SystemError) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
  guard descriptor >= 0 else { throw .last }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { throw .last }
  if [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) { throw SystemError(code: EINVAL, words: "it is a pipe, not a file") }
  return try contents(of: descriptor, atMost: limit)
}

/// Reads a descriptor to its end, at most `limit` bytes. [any]
package func contents(of descriptor: Int32, atMost limit: Int = .max) throws(SystemError) -> [UInt8] {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 16_384)
  while bytes.count < limit {
    let count = read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw .last }
    if count == 0 { break }
    bytes += chunk[..<count]
  }
  return bytes
}

/// Writes all bytes to a descriptor. [any]
package func write(_ bytes: some Sequence<UInt8>, to descriptor: Int32) throws(SystemError) {
  var rest = Array(bytes)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { throw count < 0 ? .last : SystemError(code: EIO) }
    rest = rest.dropFirst(count)
  }
}

/// Why a path cannot be used as a folder: "is not there", "is no folder"; nil if it can. [any]
package func folderFault(_ path: String) -> String? {
  var status = stat()
  guard stat(path, &status) == 0 else { return errno == ENOENT ? "is not there" : errno == ENOTDIR ? "is no folder" : refusal }
  guard status.st_mode & S_IFMT == S_IFDIR else { return "is no folder" }
  return access(path, X_OK) == 0 ? nil : refusal
}

private var refusal: String { "cannot be entered (\(SystemError.last))" }
