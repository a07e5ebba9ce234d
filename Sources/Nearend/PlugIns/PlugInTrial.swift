import Foundation
import Platform
import RealtimeCore

/// Tries a LADSPA plug-in in a process of its own, which it may crash or hang: `nearend try-plugin`. [any]
package struct PlugInTrial: Sendable {
  /// The program `nearend`.
  package var program: String
  /// Seconds allowed for each of starting the process, loading, starting and running.
  package var patience = 5.0
  /// Ends the trial early once requested.
  var end: TrialEnd?

  package init(program: String) { self.program = program }

  /// Creates a trial with the `nearend` in PATH; nil if there is none.
  package static func standard(_ environment: [String: String]) -> PlugInTrial? {
    Platform.program(named: "nearend", in: environment["PATH"] ?? "").map(PlugInTrial.init)
  }

  /// Returns what the process reports of the plug-in; with a nil label, of all plug-ins in the library.
  /// - Throws: `PlugInError.trial` if the process ended early, crashed or hung; `.stopped` if `end` was requested first.
  package func facts(path: String, label: String?, rate: Int, settings: [String: Double] = [:]) throws(PlugInError) -> PlugInFacts {
    var arguments = ["try-plugin", path, "--rate", "\(rate)"]
    if let label { arguments += ["--label=\(label)"] }
    for (port, value) in settings.sorted(by: { $0.key < $1.key }) { arguments += ["--set=\(port)=\(value)"] }
    let name = label.flatMap { $0.isEmpty ? nil : $0 } ?? path
    guard end?.isRequested != true else { throw .stopped(label: name) }
    let child: TrialProcess
    do { child = try TrialProcess(program, arguments) } catch {
      throw .trial(label: name, reason: "could not be run (\(program): \(error))")
    }
    let (output, isDone) = child.output(patience: patience, until: end)
    let status = child.end(atOnce: !isDone)
    let lines = output.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    let phase = lines.compactMap(PlugInFacts.Phase.init).last
    if isDone, status == 0, let last = lines.last, let facts = try? JSONDecoder().decode(PlugInFacts.self, from: Data(last.utf8)) {
      return facts
    }
    let place = "while it \(phase?.words ?? "is tried")"
    if !isDone { throw end?.isRequested == true ? .stopped(label: name) : .trial(label: name, reason: "hangs \(place)") }
    let signal = status & 0x7F
    throw .trial(
      label: name, reason: signal != 0 ? "crashes (\(String(cString: strsignal(signal)))) \(place)" : "ends its process \(place)")
  }
}

/// A child process whose standard output is read.
private struct TrialProcess {
  private let process: pid_t
  private let reading: Int32

  init(_ program: String, _ arguments: [String]) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .last }
    // A child forked at this moment may still inherit them: then the end of this one's output is not seen before that child ends.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    do throws(SystemError) {
      process = try spawn(
        program, [program] + arguments, environment: ProcessInfo.processInfo.environment, output: .descriptor(ends[1]))
    } catch {
      close(ends[0])
      throw error
    }
    reading = ends[0]
  }

  /// Reads to the end; `isDone` is false if nothing came for `patience` seconds, or if `end` was requested first.
  func output(patience: Double, until end: TrialEnd?) -> (output: [UInt8], isDone: Bool) {
    var output: [UInt8] = []
    var deadline = monotonicSeconds() + patience
    while output.count < 1 << 22 {
      let left = deadline - monotonicSeconds()
      guard left > 0, end?.isRequested != true else { return (output, false) }
      // poll ignores a negative descriptor.
      var descriptors = [
        pollfd(fd: reading, events: Int16(POLLIN), revents: 0), pollfd(fd: end?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&descriptors, 2, Int32(left * 1000) + 1)
      if ready < 0, errno != EINTR { return (output, false) }
      guard ready > 0, descriptors[0].revents != 0 else { continue }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(reading, &bytes, 4096)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return (output, true) }
      output += bytes[..<count]
      deadline = monotonicSeconds() + patience
    }
    return (output, false)
  }

  /// Ends the process if it still runs, and returns its exit status; 0 if unknown, because the program has the system reap its children.
  ///
  /// - Parameter atOnce: false grants it half a second to end by itself.
  func end(atOnce: Bool) -> Int32 {
    close(reading)
    var status: Int32 = 0
    // A process that closed its output has ended, or is about to.
    for _ in 0..<(atOnce ? 0 : 50) {
      let result = waitpid(process, &status, WNOHANG)
      if result == process { return status }
      if result < 0, errno != EINTR { return 0 }
      usleep(10_000)
    }
    kill(process, SIGKILL)
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }
}
