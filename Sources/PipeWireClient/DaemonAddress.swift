internal import Glibc
import Platform

/// Where libpipewire looks for the daemon, and why none is there: it says "Host is down" whatever the cause. [any]
package struct DaemonAddress: Sendable, Equatable {
  /// The path of the daemon's socket; only its name where no folder is known.
  package private(set) var path: String
  private var cause = Cause.absent

  private enum Cause: Equatable {
    case absent
    /// A variable names another daemon than the user's own.
    case named(variable: String)
    case noFolder
    /// A variable names what cannot be used as a folder, and why not.
    case noSuchFolder(variable: String, String, String)
  }

  /// Finds the place as libpipewire does.
  /// - Parameters:
  ///   - remote: path or name, as a program gives it; nil for the user's own.
  ///   - value: the value of an environment variable.
  ///   - fault: why a path cannot be used as a folder, in words; nil if it can.
  package init(remote: String?, value: (String) -> String?, fault: (String) -> String?) {
    let named = remote == nil ? value("PIPEWIRE_REMOTE") : nil
    let name = remote ?? named ?? "pipewire-0"
    path = name
    if named != nil { cause = .named(variable: "PIPEWIRE_REMOTE") }
    guard !name.hasPrefix("/") else { return }
    for variable in ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR"] {
      guard let folder = value(variable) else { continue }
      path = "\(folder)/\(name)"
      if let fault = fault(folder) { cause = .noSuchFolder(variable: variable, folder, fault) }
      return
    }
    cause = .noFolder
  }

  /// As above, in this process's environment.
  init(remote: String?) {
    self.init(
      remote: remote, value: { getenv($0).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } },
      fault: folderFault)
  }

  /// Whether there is a socket.
  var isThere: Bool { access(path, F_OK) == 0 }

  /// Returns a connected socket; -1 on a failure, whose cause is `errno`.
  func connectedSocket() -> Int32 {
    guard let address = UnixAddress(path: path) else {
      errno = ENAMETOOLONG
      return -1
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return -1 }
    guard address.connect(descriptor) else {
      let code = errno
      close(descriptor)
      errno = code
      return -1
    }
    return descriptor
  }

  /// The error that nobody answers there. `reason`: why, for people.
  package func error(reason: String) -> PipeWireError {
    let session = "start nearend in your login session, or: export XDG_RUNTIME_DIR=/run/user/$(id -u)"
    let (problem, remedy): (String, String?) =
      switch cause {
      case .absent: ("no PipeWire daemon at \(path) (\(reason))", nil)
      case .named(let variable):
        ("no PipeWire daemon at \(path), which \(variable) names (\(reason))", "start that daemon, or use your own: unset \(variable)")
      case .noFolder: ("no PipeWire daemon can be found: XDG_RUNTIME_DIR, the folder of its socket, is not set", session)
      case .noSuchFolder(let variable, let folder, let fault):
        (
          "no PipeWire daemon can be found: \(variable) is \(folder), which \(fault)",
          variable == "XDG_RUNTIME_DIR" ? session : "correct it, or: unset \(variable)"
        )
      }
    return PipeWireError(code: .noDaemon, description: problem, remedy: remedy)
  }

  /// Why the socket does not answer, after a connection has failed with an errno.
  func reason(_ code: Int32) -> String {
    if access(path, F_OK) != 0 { return errno == ENOENT ? "there is no such socket" : PipeWireError.lastReason }
    if access(path, R_OK | W_OK) != 0 { return PipeWireError.lastReason }
    return [EHOSTDOWN, ECONNREFUSED].contains(abs(code)) ? "nobody listens there" : PipeWireError.reason(code)
  }
}
