import Foundation
internal import Glibc

/// A private folder under /tmp with a guard process that outlives this one: however this process ends (even by SIGKILL), the guard kills
/// every process of its group and removes the folder. It detects the end through a socket that only this process holds open, so it depends
/// neither on the thread that started a child nor on a signal handler.
final class SessionFolder: Sendable {
  let path: String
  private let guardian: ChildProcess
  private let lifeline: ChildSocket

  /// The process group of everything in the session.
  var group: pid_t { guardian.pid }

  /// The group's leader cannot kill the group and survive to remove the folder, so a process in another session (setsid) does both. It
  /// relies on nothing in the session's environment, and gives up after 5 s.
  private static let script = """
    PATH=/usr/local/bin:/usr/bin:/bin
    trap '' HUP INT QUIT TERM PIPE
    read -r line
    exec setsid sh -c 'kill -KILL -"$1"
      tries=50
      until rm -rf -- "$2" || [ "$tries" -eq 0 ]; do tries=$((tries - 1)); sleep 0.1 || exit; done' sh $$ "$1"
    """

  init(environment: [String: String]) throws {
    var template = Array("/tmp/nearend-session.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SessionError.system("making a folder in /tmp", errno) }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.path = path
    do {
      _ = try Program.find("setsid", path: environment["PATH"] ?? "")
      (lifeline, guardian) = try ChildSocket.make { childs in
        try ChildProcess(
          "sh", ["-c", Self.script, "nearend-session-guard", path], environment: environment, group: 0, input: .descriptor(childs))
      }
    } catch {
      rmdir(path)
      throw error
    }
  }

  /// Writes a file below the folder, and creates the folders above it.
  func write(_ text: String, to file: String) throws {
    let url = URL(fileURLWithPath: "\(path)/\(file)")
    do {
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    } catch { throw SessionError(.system, "writing \(url.path): \(error)") }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    shutdown(lifeline.descriptor, Int32(SHUT_RDWR))
    guardian.end(grace: 5)
  }
}
