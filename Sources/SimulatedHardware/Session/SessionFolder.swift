import Foundation
internal import Glibc

/// A private folder under /tmp and a guard process that outlives this one: when this process ends, however it ends (SIGKILL too), the guard kills every process
/// of its group and removes the folder. It notices by the end of a socket that only this process holds open, so that it depends neither on which thread
/// started a child nor on a signal handler.
final class SessionFolder: Sendable {
  let path: String
  private let guardian: ChildProcess
  private let lifeline: Int32

  /// The process group that everything of the session belongs to.
  var group: pid_t { guardian.pid }

  /// The group's leader cannot kill the group and live to remove the folder, so a process in a session of its own does both.
  private static let script = """
    trap '' HUP INT QUIT TERM PIPE
    read -r line
    exec setsid sh -c 'kill -KILL -"$1"; until rm -rf -- "$2"; do sleep 0.1; done' sh $$ "$1"
    """

  init(environment: [String: String]) throws {
    var template = Array("/tmp/nearend-session.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SessionError.system("making a folder in /tmp", errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    do {
      _ = try Program.find("setsid", path: environment["PATH"] ?? "")
      let (ours, childs) = try connectedPair()
      defer { close(childs) }
      do {
        guardian = try ChildProcess(
          "sh", ["-c", Self.script, "nearend-session-guard", path], environment: environment, group: 0, input: .descriptor(childs))
      } catch {
        close(ours)
        throw error
      }
      lifeline = ours
    } catch {
      rmdir(path)
      throw error
    }
  }

  /// Writes a file below the folder, making the folders above it.
  func write(_ text: String, to file: String) throws {
    let url = URL(fileURLWithPath: "\(path)/\(file)")
    do {
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    } catch { throw SessionError(.system, "writing \(url.path): \(error.localizedDescription)") }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    close(lifeline)
    guardian.end(grace: 5)
  }
}
