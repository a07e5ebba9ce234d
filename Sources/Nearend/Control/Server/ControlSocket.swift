import Glibc
import Platform
import Synchronization

/// The listening Unix socket, mode 0600 in a folder of mode 0700 owned by the user.
///
/// The listener holds a lock on the folder, which ends with `remove`, or with its process: a socket without a lock is stale, and is
/// replaced.
final class ControlSocket: ListeningSocket {
  let descriptor: Int32
  let path: String
  private let folder: Int32
  private let isRemoved = Mutex(false)

  /// Connections that the kernel queues until they are accepted.
  private static let backlog: Int32 = 128

  init(path: String) throws(ControlError) {
    guard let address = UnixAddress(path: path) else { throw .pathTooLong(path: path, limit: UnixAddress.pathLimit) }
    let folder = try Self.ownFolder(of: path)
    var descriptor: Int32 = -1
    do throws(ControlError) {
      guard flock(folder, LOCK_EX | LOCK_NB) == 0 else { throw .inUse(path: path, pid: Self.server(at: address)?.pid) }
      try Self.removeStale(path, at: address)
      descriptor = try Self.listen(at: address, path)
    } catch {
      close(folder)
      throw error
    }
    self.path = path
    self.folder = folder
    self.descriptor = descriptor
  }

  /// Removes the socket, stops accepting, and then releases the folder to the next listener, without waiting for the last reference, which
  /// an ending thread may hold a moment longer. Idempotent.
  func remove() {
    isRemoved.withLock { isRemoved in
      if isRemoved { return }
      isRemoved = true
      unlink(path)
      shutdown(descriptor, Int32(SHUT_RDWR))
      flock(folder, LOCK_UN)
    }
  }

  /// Admits only this user's processes.
  func admits(_ client: Int32) -> Bool { Self.peer(of: client)?.uid == geteuid() }

  deinit {
    remove()
    close(descriptor)
    close(folder)
  }

  /// Opens the folder, and creates it if necessary.
  private static func ownFolder(of path: String) throws(ControlError) -> Int32 {
    let name = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    if mkdir(name, 0o700) != 0, errno != EEXIST { throw .system(call: "making the folder", path: path, reason: lastError()) }
    let folder = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else {
      let isOther = [ENOTDIR, ELOOP, EACCES].contains(errno)
      if isOther { throw .unsafeFolder(path: name, reason: "cannot be opened: \(lastError())", remedy: "remove it") }
      throw .system(call: "opening its folder", path: path, reason: lastError())
    }
    var status = stat()
    fstat(folder, &status)
    let (owner, mode) = (status.st_uid, status.st_mode & 0o777)
    guard owner == geteuid(), mode & 0o077 == 0 else {
      close(folder)
      if owner != geteuid() { throw .unsafeFolder(path: name, reason: "belongs to user \(owner)", remedy: "remove it") }
      throw .unsafeFolder(
        path: name, reason: "is open to others (mode 0\(String(mode, radix: 8)))", remedy: "close it: chmod 700 \(name)")
    }
    return folder
  }

  private static func removeStale(_ path: String, at address: UnixAddress) throws(ControlError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    if let server = server(at: address) { throw .inUse(path: path, pid: server.pid) }
    unlink(path)
  }

  private static func listen(at address: UnixAddress, _ path: String) throws(ControlError) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .system(call: "socket", path: path, reason: lastError()) }
    // The file gets the descriptor's mode: nobody else can connect in between, whatever the umask.
    guard fchmod(descriptor, 0o600) == 0, address.bind(descriptor) else {
      defer { close(descriptor) }
      throw .system(call: "bind", path: path, reason: lastError())
    }
    guard chmod(path, 0o600) == 0, Glibc.listen(descriptor, backlog) == 0 else {
      defer {
        unlink(path)
        close(descriptor)
      }
      throw .system(call: "listen", path: path, reason: lastError())
    }
    return descriptor
  }

  /// Returns the process that listens there; nil if there is none.
  private static func server(at address: UnixAddress) -> (pid: Int?, Void)? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    defer { close(descriptor) }
    // EAGAIN: its queue is full, so it exists.
    guard address.connect(descriptor) || errno == EAGAIN else { return nil }
    return (peer(of: descriptor).map { Int($0.pid) }, ())
  }

  /// Connects to the listener at `path`, if that is a process of this user; nil otherwise. The caller closes the descriptor, which is in
  /// blocking mode.
  static func connection(to path: String) -> Int32? {
    guard let address = UnixAddress(path: path) else { return nil }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    guard address.connect(descriptor), peer(of: descriptor)?.uid == geteuid() else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// The kernel's `struct ucred`, which Glibc's module lacks.
  struct Peer {
    var pid: pid_t = 0
    var uid: uid_t = 0
    var gid: gid_t = 0
  }

  /// Process and user of the peer, as of when it connected or began to listen.
  static func peer(of descriptor: Int32) -> Peer? {
    var peer = Peer()
    var size = socklen_t(MemoryLayout<Peer>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer : nil
  }
}

func lastError() -> String { String(cString: strerror(errno)) }
