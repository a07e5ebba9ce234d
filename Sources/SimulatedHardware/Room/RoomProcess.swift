import Foundation
internal import Glibc
import Platform
import Synchronization

/// Runs a room in this process until standard input ends or says `quit`; prints a `RoomReport` as a line of JSON four times a second. Input
/// lines: `observe on`, `observe off`, `place` with `Acoustics.text`, `dead` with a microphone's number or 0, `anew` with the
/// number of a round, `quit`.
/// - Parameter arguments: `RoomOptions.arguments`.
/// - Throws: `SessionError`.
package func runRoom(arguments: [String]) throws {
  let room = try Room(RoomOptions(arguments: arguments))
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  signal(SIGPIPE, SIG_IGN)
  try room.start { report in
    guard let line = try? encoder.encode(report) + Data("\n".utf8) else { return }
    _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
  input: while let line = readLine() {
    func argument(of command: String) -> Substring? { line.hasPrefix("\(command) ") ? line.dropFirst(command.count + 1) : nil }
    if let acoustics = argument(of: "place").flatMap({ Acoustics(text: String($0)) }) {
      room.place(acoustics)
    } else if let number = argument(of: "dead").flatMap({ Int($0) }) {
      room.kill(microphone: number > 0 ? number : nil)
    } else if let round = argument(of: "anew").flatMap({ Int($0) }) {
      room.measureAnew(round)
    } else if let word = argument(of: "observe"), word == "on" || word == "off" {
      room.observe(word == "on")
    } else if line == "quit" {
      break input
    } else {
      try? Platform.write("room: '\(line)' is no command\n".utf8, to: STDERR_FILENO)
    }
  }
  room.stop()
}

/// A room in a process of its own, so that its processor time is not attributed to the product. [any]
package final class RoomProcess: Sendable {
  /// The child process; `end` ends it.
  package let process: ChildProcess
  private let socket: ChildSocket
  private let heard = Mutex(Heard())

  private struct Heard {
    var latest: RoomReport?
    /// Of the latest `measureAnew`.
    var round = 0

    mutating func take(_ report: RoomReport) {
      latest = report
      // Written before the room had heard of this round.
      if report.round != round { forgetFigures() }
    }

    mutating func forgetFigures() {
      latest?.erle = nil
      latest?.nearEndLevel = nil
    }
  }

  /// Starts `executable command… options` in the session; it ends with the session, or with this value.
  /// - Parameters:
  ///   - executable: a program that calls `runRoom` with the arguments after `command`.
  ///   - onReport: called on a thread of its own for every report.
  package init(
    in session: PrivateSession, executable: String, command: [String] = ["room"], options: RoomOptions,
    onReport: (@Sendable (RoomReport) -> Void)? = nil
  ) throws {
    (socket, process) = try ChildSocket.make { childs in
      try session.spawn(
        executable, command + options.arguments, input: .descriptor(childs), output: .descriptor(childs),
        errors: .file("\(session.path)/logs/room.log"))
    }
    startThread(name: "room-reports") { [socket, weak self] in
      socket.lines { line in
        guard let report = try? JSONDecoder().decode(RoomReport.self, from: line) else { return }
        self?.heard.withLock { $0.take(report) }
        onReport?(report)
      }
    }
  }

  deinit { end() }

  /// The room's latest report; nil before the first.
  package var report: RoomReport? { heard.withLock { $0.latest } }

  /// Starts or stops recording the processed microphone.
  package func observe(_ isOn: Bool) { socket.send("observe \(isOn ? "on" : "off")\n") }

  /// Forgets what was measured of the processed microphone, and measures it anew from now on.
  package func measureAnew() {
    let round = heard.withLock { heard in
      heard.round += 1
      heard.forgetFigures()
      return heard.round
    }
    socket.send("anew \(round)\n")
  }

  /// Changes which loudspeakers are heard in the room, and which microphones hear it.
  package func place(_ acoustics: Acoustics) { socket.send("place \(acoustics.text)\n") }

  /// Lets one microphone of an array, from 1, hear nothing; nil lets all live.
  package func kill(microphone number: Int?) { socket.send("dead \(number ?? 0)\n") }

  /// Ends the process.
  package func end() {
    socket.send("quit\n")
    if process.wait(timeout: 2) == nil { process.end(grace: 1) }
  }
}
