internal import Glibc
import Platform

/// What goes wrong on real machines, on purpose. A daemon's crash or update: `stop`, `start(_:)` and `restart`.
extension PrivateSession {
  /// Stops a daemon's process in the middle of whatever it does, without ending it; its sockets stay open and answer nothing. The PipeWire
  /// daemon drives the graph, so no cycle runs while it is frozen.
  public func freeze(_ daemon: Daemon) { process(of: daemon)?.signal(SIGSTOP) }

  /// Lets a frozen daemon go on.
  public func thaw(_ daemon: Daemon) { process(of: daemon)?.signal(SIGCONT) }

  /// Lets a process of the graph stand still `count` times for `length` seconds, `interval` seconds apart: more than a cycle long, so that
  /// cycles are late or lost each time. Returns when it is over.
  /// - Parameter process: a client that takes part in the graph; nil: the daemon itself, which makes everybody's cycles late.
  public func stormOfXruns(of process: ChildProcess? = nil, count: Int, length: Double = 0.05, interval: Double = 0.1) {
    guard let process = process ?? self.process(of: .pipewire) else { return }
    for _ in 0..<count {
      process.signal(SIGSTOP)
      usleep(UInt32(length * 1e6))
      process.signal(SIGCONT)
      usleep(UInt32(interval * 1e6))
    }
  }

  /// Stops the node that drives the graph, as a device does whose clock hangs: it stays there, with its links, and begins no cycle. Whoever
  /// drives a node sends it this command, so that nothing else in the graph changes. `driver` is its `node.name`.
  /// - Throws: `SessionError` where there is no such node.
  public func stopDriver(_ driver: String) throws { try command(driver, "Pause") }

  /// Lets a driver go on that was stopped.
  /// - Throws: `SessionError` where there is no such node.
  public func startDriver(_ driver: String) throws { try command(driver, "Start") }

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
