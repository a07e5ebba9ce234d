import Foundation
import Testing

@testable import SimulatedHardware

/// `nearend` in a terminal: a tmux of the test's own, which holds the screen as a person would see it.
final class Terminal {
  enum Failure: Error { case tmux([String], ToolResult), missing(String, screen: String), stillRunning(screen: String) }

  private let place: any Place
  private let server: ChildProcess
  private let folder: String

  /// Starts `nearend` with these arguments, from a shell that records the terminal's modes before and after, and the exit status.
  init(in place: any Place, _ arguments: String..., columns: Int = 80, rows: Int = 24, variables: [String: String] = [:]) throws {
    self.place = place
    folder = "\(place.path)/terminal-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let environment = place.environment.merging(["LC_ALL": "C.UTF-8", "SHELL": "/bin/sh"]) { $1 }
    server = try ChildProcess("tmux", ["-S", "\(folder)/socket", "-f", "/dev/null", "-D"], environment: environment, group: place.group)
    let command = ([nearendProgram] + arguments).map { "'\($0)'" }.joined(separator: " ")
    let exports = variables.map { "export \($0.key)='\($0.value)'; " }.sorted().joined()
    let script = """
      cd '\(folder)'; stty -g >before; \(exports)sh -c 'echo $$ >pid; exec "$@"' sh \(command); echo $? >status.part
      stty -g >after; mv status.part status; exec sleep 3600
      """
    _ = poll { FileManager.default.fileExists(atPath: "\(folder)/socket") ? true : nil }
    try tmux(
      "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", script, ";", "pipe-pane", "-O", "exec cat >'\(folder)/transcript'")
  }

  deinit {
    if let pid, exitStatus == nil { kill(pid, SIGKILL) }
    _ = try? tmux("kill-server")
    server.end(grace: 1)
  }

  @discardableResult
  private func tmux(_ arguments: String...) throws -> String {
    let result = try place.start("tmux", ["-u", "-S", "\(folder)/socket"] + arguments, ["LC_ALL": "C.UTF-8"]).result()
    guard result.succeeded else { throw Failure.tmux(arguments, result) }
    return result.output
  }

  private func note(_ name: String) -> String? {
    let text = FileManager.default.contents(atPath: "\(folder)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    return text?.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The screen's rows.
  func screen() throws -> String { try tmux("capture-pane", "-p") }

  /// Everything that was written to the terminal, with its control sequences; also contains what the screen shows only for a moment.
  var transcript: String { note("transcript") ?? "" }

  /// Types text, or a key that tmux knows by name: "F2", "Tab", "Space", "Escape".
  func type(_ keys: String...) throws { for key in keys { try tmux("send-keys", key) } }

  /// Returns the screen once all of `words` are on it.
  /// - Throws: `Failure.missing` with the screen after 60 s.
  @discardableResult
  func expect(_ words: String...) throws -> String {
    var last = ""
    let found = try poll {
      last = try screen()
      return words.allSatisfy(last.contains) ? true : nil
    }
    guard found != nil else { throw Failure.missing(words.filter { !last.contains($0) }.joined(separator: ", "), screen: last) }
    return last
  }

  /// Returns the screen once none of `words` is on it.
  @discardableResult
  func expectGone(_ words: String) throws -> String {
    try poll {
      let screen = try screen()
      return screen.contains(words) ? nil : screen
    } ?? { throw Failure.missing("a screen without \(words)", screen: try screen()) }()
  }

  /// Waits for the program's end.
  func expectEnd() throws {
    guard poll({ exitStatus }) != nil else { throw Failure.stillRunning(screen: try screen()) }
  }

  /// The program's exit status; nil while it runs.
  var exitStatus: Int? { note("status").flatMap { Int($0) } }
  var pid: pid_t? { note("pid").flatMap { pid_t($0) } }
  var modesAreRestored: Bool { note("before") == note("after") }
  /// Returns whether the terminal still shows the program's screen instead of the shell's.
  /// Checks that this is the dashboard of another process's nearend: a key acts there, and q leaves it running.
  func expectDashboard(of nearend: ChildProcess, in session: PrivateSession) throws {
    try expect("IDLE", "Simulated Microphone")
    try type("n")
    try expect("NS off")
    #expect(try session.nearend("get", "ns").output == "false\n")
    try type("q")
    try expectEnd()
    #expect(exitStatus == 0)
    #expect(nearend.isRunning)
  }

  func isOnAlternateScreen() throws -> Bool { try tmux("display-message", "-p", "#{alternate_on}") == "1\n" }
  /// Ends the terminal itself, like closing its window.
  func close() throws { try tmux("kill-server") }
}
