/// Why the control socket cannot be opened, with what to do about it. [any]
package enum ControlError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Another process listens there; with its id if the kernel reports it.
  case inUse(path: String, pid: Int?)
  /// Its folder is not exclusively the user's.
  case unsafeFolder(path: String, reason: String, remedy: String)
  /// The path is too long for a Unix socket.
  case pathTooLong(path: String, limit: Int)
  /// There is something other than a socket at the path.
  case notASocket(path: String)
  /// A system call failed.
  case system(call: String, path: String, reason: String)

  package var description: String {
    switch self {
    case .inUse(let path, let pid):
      "the control socket \(path) is served by another nearend\(pid.map { " (process \($0))" } ?? ""); stop it first, or use nearend attach"
    case .unsafeFolder(let path, let reason, let remedy):
      "the control socket's folder \(path) \(reason); \(remedy)"
    case .pathTooLong(let path, let limit):
      "the control socket's path \(path) has \(path.utf8.count) bytes, and \(limit) is the most; set XDG_RUNTIME_DIR to a shorter one"
    case .notASocket(let path): "\(path) is where the control socket should be, and is no socket; remove it"
    case .system(let call, let path, let reason): "the control socket \(path): \(call) failed: \(reason)"
    }
  }
}
