import Foundation
import Glibc

/// Runs a program in a pseudo-terminal, like a terminal emulator.
final class PseudoTerminal {
  private let master: Int32
  /// Kept open so that the terminal's modes can be read after the program has ended.
  private let slave: Int32
  private let process: pid_t
  private(set) var output: [UInt8] = []
  /// As returned by `waitpid`; nil while the program runs.
  private(set) var status: Int32?
  /// The terminal's modes before the program ran, as `stty -g` prints them.
  let modesBefore: String

  // Missing from glibc's module: TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h, POSIX_SPAWN_SETSID of spawn.h.
  private static let unlock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430
  private static let newSession: Int32 = 0x80

  enum Failure: Error { case system(String, Int32), missing(String, output: String), stillRunning(output: String) }

  /// Starts the dashboard's demo.
  init(_ arguments: [String] = [], columns: UInt16 = 80, rows: UInt16 = 24, environment: [String: String] = [:]) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var number: Int32 = 0
    var isLocked: Int32 = 0
    guard master >= 0, ioctl(master, Self.unlock, &isLocked) == 0, ioctl(master, Self.getNumber, &number) == 0 else {
      throw Failure.system("/dev/ptmx", errno)
    }
    let name = "/dev/pts/\(number)"
    slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw Failure.system("open \(name)", errno) }
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    var modes = termios()
    tcgetattr(slave, &modes)
    modes.c_iflag |= tcflag_t(IXANY | IUTF8)  // modes that no program sets on its own
    tcsetattr(slave, TCSANOW, &modes)
    modesBefore = Self.modes(slave)

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)  // becomes the new session's controlling terminal
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(Self.newSession | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)))
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGQUIT, SIGHUP] { sigaddset(&signals, signal) }  // a background job of a shell ignores some of them
    posix_spawnattr_setsigdefault(&attributes, &signals)

    var variables = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/bin:/bin"]
    variables.merge(environment) { $1 }
    let argv = ([Self.demo] + arguments).map { strdup($0) } + [nil]
    let envp = variables.filter { !$0.value.isEmpty }.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var pid: pid_t = 0
    let failure = posix_spawn(&pid, Self.demo, &actions, &attributes, argv, envp)
    guard failure == 0 else { throw Failure.system("posix_spawn \(Self.demo)", failure) }
    process = pid
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(master)
    close(slave)
  }

  /// The path of the demo, beside the test bundle.
  static let demo: String = {
    let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    return path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/DashboardDemo"
  }()

  var text: String { String(decoding: output, as: UTF8.self) }
  var modes: String { Self.modes(slave) }

  func type(_ keys: String) { _ = Array(keys.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) } }
  func send(_ signal: Int32) { kill(process, signal) }

  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Reads until `wanted` has been printed, and discards everything up to it.
  func expect(_ wanted: String) throws {
    try pump(until: { self.text.contains(wanted) }, else: { .missing(wanted, output: $0) })
    output = Array(text.components(after: wanted).utf8)
  }

  /// Reads until the program has ended; the rest stays in `output`.
  func expectEnd() throws {
    try pump(until: { self.hasEnded() }, else: { .stillRunning(output: $0) })
    read(patience: 0)
  }

  /// Reads until the program is stopped.
  func expectStop() throws {
    try pump(
      until: {
        var status: Int32 = 0
        return waitpid(self.process, &status, WNOHANG | WUNTRACED) == self.process && status & 0xff == 0x7f
      }, else: { .stillRunning(output: $0) })
  }

  var exitCode: Int32? { status.flatMap { $0 & 0x7f == 0 ? ($0 >> 8) & 0xff : nil } }
  var deadlySignal: Int32? { status.flatMap { $0 & 0x7f != 0 ? $0 & 0x7f : nil } }

  private func hasEnded() -> Bool {
    var status: Int32 = 0
    if self.status == nil, waitpid(process, &status, WNOHANG) == process { self.status = status }
    return self.status != nil
  }

  private func pump(until isSo: () -> Bool, else failure: (String) -> Failure) throws {
    let start = time(nil)
    while !isSo() {
      guard time(nil) - start < 20 else { throw failure(text) }
      read(patience: 20)
    }
  }

  private func read(patience: Int32) {
    var source = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var patience = patience
    while poll(&source, 1, patience) > 0, Int32(source.revents) & POLLIN != 0 {
      let count = Glibc.read(master, &buffer, buffer.count)
      guard count > 0 else { return }
      output += buffer.prefix(count)
      patience = 0
    }
  }

  private static func modes(_ terminal: Int32) -> String {
    var modes = termios()
    tcgetattr(terminal, &modes)
    return withUnsafeBytes(of: modes.c_cc) { characters in
      ([modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag] + characters.map { tcflag_t($0) })
        .map { String($0, radix: 16) }.joined(separator: ":")
    }
  }
}

extension String {
  fileprivate func components(after wanted: String) -> Substring {
    guard let range = firstRange(of: wanted) else { return self[...] }
    return self[range.upperBound...]
  }
}
