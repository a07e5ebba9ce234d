internal import Glibc
import Platform

/// Simulates faults of real machines. For a daemon's crash or update see `stop`, `start(_:)` and `restart`.
extension PrivateSession {
  /// Suspends a daemon's process, whatever it does; its sockets stay open and answer nothing. The PipeWire daemon drives the graph, so no
  /// cycle runs while it is frozen.
  package func freeze(_ daemon: Daemon) { process(of: daemon)?.signal(SIGSTOP) }

  /// Resumes a frozen daemon.
  package func thaw(_ daemon: Daemon) { process(of: daemon)?.signal(SIGCONT) }

  /// Suspends a process of the graph `count` times for `length` seconds, `interval` seconds apart: longer than a cycle, so that cycles are
  /// late or lost each time. Returns when it is over.
  /// - Parameter process: a client that takes part in the graph; nil for the daemon itself, which makes all cycles late.
  package func stormOfXruns(of process: ChildProcess? = nil, count: Int, length: Double = 0.05, interval: Double = 0.1) {
    guard let process = process ?? self.process(of: .pipewire) else { return }
    for _ in 0..<count {
      process.signal(SIGSTOP)
      usleep(UInt32(length * 1e6))
      process.signal(SIGCONT)
      usleep(UInt32(interval * 1e6))
    }
  }

  /// Stops the node that drives the graph, like a device whose clock hangs: it stays, with its links, and begins no cycle. The driver
  /// itself receives this command, so that nothing else in the graph changes. `driver` is its `node.name`.
  /// - Throws: `SessionError` if there is no such node.
  package func stopDriver(_ driver: String) throws { try command(driver, "Pause") }

  /// Resumes a stopped driver.
  /// - Throws: `SessionError` if there is no such node.
  package func startDriver(_ driver: String) throws { try command(driver, "Start") }

  private func command(_ node: String, _ command: String) throws {
    let listed = try run("pw-cli", "ls", "Node").output.split(separator: "\n")
    guard let line = listed.firstIndex(where: { $0.includes("node.name = \"\(node)\"") }),
      let id = listed[..<line].last(where: { $0.includes("id ") && $0.includes("type PipeWire") })?
        .split(whereSeparator: { $0 == " " || $0 == "," || $0 == "\t" }).dropFirst().first
    else { throw SessionError(.invalidRequest, "there is no node '\(node)' in the session") }
    let result = try run("pw-cli", "send-command", String(id), command, "{}")
    guard result.succeeded, !result.output.includes("Error") else {
      throw SessionError(.programFailed, "pw-cli could not send \(command) to \(node): \(result.output)\(result.errors)")
    }
  }
}
