internal import Glibc
import PipeWireClient
import Synchronization

/// A child process, reaped by this process. [any]
public final class ChildProcess: Sendable {
  /// How a process ended.
  public enum Exit: Sendable, Equatable {
    case status(Int32)
    case signal(Int32)
  }

  /// The destination or source of a child's standard stream.
  enum Stream {
    case null
    /// A file that is created if necessary, and appended to.
    case file(String)
    /// A descriptor that stays open in this process.
    case descriptor(Int32)
  }

  public let name: String
  public let pid: Int32
  private let ended = Mutex<Exit?>(nil)

  /// Starts `program` with exactly this environment, in the process group `group` (0 makes it the leader of its own). The child inherits no
  /// descriptors except the three streams, ignores no signal and blocks none.
  init(
    _ program: String, _ arguments: [String], environment: [String: String], group: pid_t,
    input: Stream = .null, output: Stream = .null, errors: Stream = .null
  ) throws {
    name = program.split(separator: "/").last.map(String.init) ?? program
    let file = try Program.find(program, path: environment["PATH"] ?? "")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
      switch stream {
      case .null: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      case .file(let path): posix_spawn_file_actions_addopen(&actions, number, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
      case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, number)
      }
    }
    for descriptor in Self.openDescriptors() where descriptor > STDERR_FILENO { posix_spawn_file_actions_addclose(&actions, descriptor) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, group)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let argv = ([program] + arguments).map { strdup($0) } + [nil]
    let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var pid: pid_t = 0
    let result = posix_spawn(&pid, file, &actions, &attributes, argv, envp)
    guard result == 0 else { throw SessionError.system("starting \(file)", result) }
    self.pid = pid
  }

  /// They may have been opened without O_CLOEXEC, and a daemon that holds them would keep their other ends waiting.
  private static func openDescriptors() -> [Int32] {
    guard let folder = opendir("/proc/self/fd") else { return [] }
    defer { closedir(folder) }
    var descriptors: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let descriptor = Int32(name) { descriptors.append(descriptor) }
    }
    return descriptors
  }

  /// How it ended; nil while it runs.
  public var exit: Exit? { ended.withLock { reap(&$0, WNOHANG) } }

  public var isRunning: Bool { exit == nil }

  /// Sends a signal; ignored if it has ended.
  public func signal(_ number: Int32) {
    ended.withLock { if reap(&$0, WNOHANG) == nil { kill(pid, number) } }
  }

  /// Waits at most `timeout` seconds for the end; returns nil if it still runs.
  public func wait(timeout: Double) -> Exit? {
    poll(timeout: timeout) { exit }
  }

  /// Terminates it, kills it after `grace` seconds, and returns when it is gone.
  @discardableResult
  public func end(grace: Double = 3) -> Exit {
    signal(SIGTERM)
    signal(SIGCONT)
    if let exit = wait(timeout: grace) { return exit }
    signal(SIGKILL)
    return ended.withLock { reap(&$0, 0)! }
  }

  private func reap(_ ended: inout Exit?, _ options: Int32) -> Exit? {
    if let ended { return ended }
    var status: Int32 = 0
    var result: pid_t
    repeat { result = waitpid(pid, &status, options) } while result == -1 && errno == EINTR
    switch result {
    case pid: ended = status & 0x7f == 0 ? .status(status >> 8 & 0xff) : .signal(status & 0x7f)
    case -1: ended = .status(-1)
    default: break
    }
    return ended
  }
}

/// Polls `question`, every 5 ms and later every 20 ms, until it answers or `timeout` seconds have passed.
func poll<Answer>(timeout: Double, _ question: () throws -> Answer?) rethrows -> Answer? {
  let start = monotonicSeconds()
  while true {
    if let answer = try question() { return answer }
    let elapsed = monotonicSeconds() - start
    if elapsed >= timeout { return nil }
    usleep(elapsed < 0.2 ? 5_000 : 20_000)
  }
}
