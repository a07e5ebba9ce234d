import Foundation
internal import Glibc
import Platform

extension PrivateSession {
  var daemonsToRun: [Daemon] {
    Daemon.allCases.filter { daemon in
      switch daemon {
      case .pulse: configuration.runsPulse
      case .systemBus: configuration.hasLoginManager
      case .bus, .pipewire, .wireplumber: true
      }
    }
  }

  /// Starts every daemon that does not run, in order, and waits until the session is complete: sockets answer, the devices' ports exist,
  /// and a forced quantum is in effect.
  package func start() throws {
    try desk?.start()
    for daemon in daemonsToRun where !isRunning(daemon) { try start(daemon) }
  }

  /// Starts a daemon, and with the PipeWire daemon those that end with it, as under systemd; one that runs already stays.
  func start(with daemon: Daemon) throws {
    try desk?.start()
    let wanted: [Daemon] = daemon == .pipewire ? [.pipewire, .wireplumber, .pulse] : [daemon]
    for daemon in daemonsToRun where wanted.contains(daemon) && !isRunning(daemon) { try start(daemon) }
  }

  /// Starts a daemon that does not run, and waits until it is usable.
  package func start(_ daemon: Daemon) throws {
    let log = log(of: daemon)
    let process = try ChildProcess(
      daemon.program, arguments(of: daemon), environment: environment, group: group, output: .file(log), errors: .file(log))
    state.withLock {
      $0.daemons[daemon] = process
      $0.mayEnd.remove(daemon)
    }
    switch daemon {
    case .bus: try wait(for: "the bus to listen") { accepts("\(path)/bus") }
    case .systemBus:
      try wait(for: "the system bus to listen") { accepts("\(path)/system-bus") }
      try loginManager?.connect(to: "\(path)/system-bus")
    case .pipewire:
      try wait(for: "the PipeWire daemon to listen") { accepts(socket) }
      if let quantum = configuration.quantum { try force(quantum: quantum) }
    case .wireplumber:
      try wait(forPorts: configuration.daemonDevices.flatMap(\.ports))
      try waitForDesk()
    case .pulse: try wait(for: "the PulseAudio server to listen") { accepts("\(path)/pulse/native") }
    }
  }

  private func arguments(of daemon: Daemon) -> [String] {
    switch daemon {
    case .bus: ["--config-file=\(path)/bus.conf", "--nofork", "--nopidfile"]
    case .systemBus: ["--config-file=\(path)/system-bus.conf", "--nofork", "--nopidfile"]
    case .pipewire, .wireplumber, .pulse: []
    }
  }

  /// Waits until the session manager has set up every card of the desk, and the ports of their nodes exist.
  package func waitForDesk(timeout: Double? = nil) throws {
    guard let desk else { return }
    var missing: [String] = []
    try wait(for: "the session manager to set up the desk", timeout: timeout, detail: { "missing: \(missing.joined(separator: ", "))" }) {
      missing = desk.unsettled
      guard missing.isEmpty else { return false }
      let ports = try ports()
      missing = desk.ports.filter { !ports.contains($0) }
      return missing.isEmpty
    }
  }

  /// Ends a daemon with `signal`, like a crash (SIGKILL) or an update (SIGTERM). Session manager and PulseAudio server end with the
  /// PipeWire daemon, as under systemd. `start()` restores the session.
  /// - Parameter isAlone: leaves the others to notice by themselves. They may end, or continue without it.
  package func stop(_ daemon: Daemon, with signal: Int32 = SIGKILL, isAlone: Bool = false) {
    let order: [Daemon] = daemon == .pipewire && !isAlone ? [.pipewire, .pulse, .wireplumber] : [daemon]
    if isAlone { state.withLock { $0.mayEnd.formUnion(Daemon.allCases) } }
    for (index, daemon) in order.enumerated() {
      guard let process = state.withLock({ $0.daemons.removeValue(forKey: daemon) }) else { continue }
      if index == 0 { process.signal(signal) }
      process.end()
    }
    // A session manager's cards disappear with it: wait, so that the next one does not find them.
    if order.contains(.wireplumber), let desk { _ = poll(timeout: 2) { desk.isManaged ? nil : true } }
  }

  /// `stop` and `start`.
  package func restart(_ daemon: Daemon, with signal: Int32 = SIGKILL) throws {
    stop(daemon, with: signal)
    try start()
  }

  /// Returns whether a daemon was started and has not ended; a frozen one counts as running.
  package func isRunning(_ daemon: Daemon) -> Bool { process(of: daemon)?.isRunning ?? false }

  /// Whether every daemon that the session is to have runs.
  package var isComplete: Bool { daemonsToRun.allSatisfy(isRunning) }

  /// The running daemon, for tests that stop (SIGSTOP) or measure it; nil if it does not run.
  package func process(of daemon: Daemon) -> ChildProcess? { state.withLock { $0.daemons[daemon] } }

  /// Forces `quantum` frames per cycle, 32…8192; 0 leaves the choice to PipeWire again.
  package func force(quantum: Int) throws { try set("clock.force-quantum", to: quantum) }

  /// Forces `rate` frames per second; 0 leaves the choice to PipeWire again.
  package func force(rate: Int) throws { try set("clock.force-rate", to: rate) }

  private func set(_ key: String, to value: Int) throws {
    try wait(for: "\(key) to be \(value)") {
      _ = try run("pw-metadata", ["-n", "settings", "0", key, "\(value)"])
      return try run("pw-metadata", ["-n", "settings", "0", key]).output.includes("value:'\(value)'")
    }
  }

  /// The file of a daemon's output.
  func log(of daemon: Daemon) -> String { "\(path)/logs/\(daemon).log" }

  /// The end of a daemon's log.
  func lastWords(of daemon: Daemon) -> String {
    let text = SimulatedHardware.text(ofFile: log(of: daemon)) ?? ""
    return text.split(separator: "\n").suffix(5).joined(separator: "\n")
  }
}

/// Returns whether a Unix socket answers.
private func accepts(_ path: String) -> Bool {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  return UnixAddress(path: path)?.connect(descriptor) ?? false
}
