import Glibc

/// The other end of a child's standard stream. [any]
package enum ChildStream: Sendable {
  case null
  /// A file that is created if necessary, and appended to.
  case file(String)
  /// A descriptor that stays open in this process.
  case descriptor(Int32)
}

/// Starts a program in a process of its own, with exactly this environment. The child inherits no descriptors except the three streams,
/// ignores no signal and blocks none. The caller reaps it. [any]
/// - Parameters:
///   - file: the program's path.
///   - arguments: its arguments, the first being its own name.
///   - environment: its variables.
///   - group: its process group, 0 to make it the leader of its own; nil for this process's.
///   - input: its standard input.
///   - output: its standard output.
///   - errors: its standard error.
/// - Throws: `SystemError` if it cannot be started.
/// - Returns: its process id.
package func spawn(
  _ file: String, _ arguments: [String], environment: [String: String], group: Int32? = nil, input: ChildStream = .null,
  output: ChildStream = .null, errors: ChildStream = .null
) throws(SystemError) -> Int32 {
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
  for descriptor in openDescriptors() where descriptor > STDERR_FILENO { posix_spawn_file_actions_addclose(&actions, descriptor) }

  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var none = sigset_t()
  var all = sigset_t()
  sigemptyset(&none)
  sigfillset(&all)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &all)
  var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
  if let group {
    posix_spawnattr_setpgroup(&attributes, group)
    flags |= POSIX_SPAWN_SETPGROUP
  }
  posix_spawnattr_setflags(&attributes, Int16(flags))

  let words = arguments.map { strdup($0) } + [nil]
  let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
  defer { for pointer in words + variables { free(pointer) } }
  var process: pid_t = 0
  let result = posix_spawn(&process, file, &actions, &attributes, words, variables)
  guard result == 0 else { throw SystemError(code: result) }
  return process
}

/// Finds an executable file by its name in `path`, a list of folders like `PATH`; nil if there is none. [any]
package func program(named name: String, in path: String) -> String? {
  path.split(separator: ":").map { "\($0)/\(name)" }.first { (file: String) in access(file, X_OK) == 0 }
}

/// Runs a program to its end, without input or output. Returns its status, of `waitpid`, and what it said on standard error, at most 4,096
/// bytes. [any], never the audio thread
/// - Throws: `SystemError` if it cannot be started.
package func run(
  _ file: String, _ arguments: [String], environment: [String: String]
) throws(SystemError) -> (status: Int32, errors: String) {
  var ends: [Int32] = [-1, -1]
  guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { throw .last }
  let process: Int32
  var said: [UInt8] = []
  do {
    // Before the end is awaited: a program that says more must not wait for a reader.
    defer { close(ends[0]) }
    do {
      defer { close(ends[1]) }
      process = try spawn(file, arguments, environment: environment, errors: .descriptor(ends[1]))
    }
    said = (try? contents(of: ends[0], atMost: 4_096)) ?? []
  }
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { throw .last } }
  return (status, String(decoding: said, as: UTF8.self))
}

/// Returns the open descriptors. They may lack O_CLOEXEC, and a child that inherits them would keep their other ends waiting.
private func openDescriptors() -> [Int32] {
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
