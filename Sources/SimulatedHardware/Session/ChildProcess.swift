internal import Glibc
import PipeWireClient
import Platform
import Synchronization

/// A child process, reaped by this process. [any]
package final class ChildProcess: Sendable {
  /// How a process ended.
  package enum Exit: Sendable, Equatable {
    case status(Int32)
    case signal(Int32)
  }

  typealias Stream = ChildStream

  /// The program's file name, without its folder.
  package let name: String
  /// The process id; once `exit` is known the system may reuse it.
  package let pid: Int32
  private let ended = Mutex<Exit?>(nil)

  /// Starts `program` with exactly this environment, in the process group `group` (0 makes it the leader of its own). The child inherits no
  /// descriptors except the three streams, ignores no signal and blocks none.
  init(
    _ program: String, _ arguments: [String], environment: [String: String], group: pid_t,
    input: Stream = .null, output: Stream = .null, errors: Stream = .null
  ) throws {
    name = program.split(separator: "/").last.map(String.init) ?? program
    let file = try Program.find(program, path: environment["PATH"] ?? "")
    do throws(SystemError) {
      pid = try spawn(
        file, [program] + arguments, environment: environment, group: group, input: input, output: output, errors: errors)
    } catch {
      throw SessionError.system("starting \(file)", error.code)
    }
  }

  /// How the process ended; nil while it runs.
  package var exit: Exit? { ended.withLock { reap(&$0, WNOHANG) } }

  /// Whether it has not ended; a stopped process (SIGSTOP) counts as running.
  package var isRunning: Bool { exit == nil }

  /// Sends a signal; ignored if the process has ended.
  package func signal(_ number: Int32) {
    ended.withLock { if reap(&$0, WNOHANG) == nil { kill(pid, number) } }
  }

  /// Waits at most `timeout` seconds for the end; returns nil if it still runs.
  package func wait(timeout: Double = factTimeout) -> Exit? {
    poll(timeout: timeout) { exit }
  }

  /// Terminates the process, kills it after `grace` seconds, and returns when it is gone.
  @discardableResult
  package func end(grace: Double = 3) -> Exit {
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
