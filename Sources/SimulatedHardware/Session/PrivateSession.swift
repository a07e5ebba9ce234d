import Foundation
internal import Glibc
import Synchronization

/// A separate PipeWire session in a private folder: bus, daemon, session manager, PulseAudio server and simulated devices, all real, and
/// independent of the user's.
///
/// Nothing of it outlives this process, and `end()` (or releasing the last reference) removes every trace. Calls block until the facts that
/// they promise are true, so call them on a thread that may block. [control]
package final class PrivateSession: Sendable {
  /// A daemon that a session may run.
  package typealias Daemon = SessionConfiguration.Daemon

  /// The configuration given to `init`.
  package let configuration: SessionConfiguration
  /// The complete environment of a client of this session; nothing else is inherited.
  package let environment: [String: String]

  /// The sound devices and their controls, if requested by `SessionConfiguration.desk`.
  package let desk: Desk?
  /// `org.freedesktop.login1`, if requested by `SessionConfiguration.hasLoginManager`.
  package let loginManager: LoginManager?

  let state: Mutex<State>

  struct State: ~Copyable {
    var folder: SessionFolder?
    var daemons: [Daemon: ChildProcess] = [:]
    var clients: [ChildProcess] = []
    /// Daemons that may end, because something that they need was ended.
    var mayEnd: Set<Daemon> = []
  }
  /// The private `XDG_RUNTIME_DIR`, which is also the session's home.
  package let path: String
  let group: pid_t

  /// The daemon's socket.
  package var socket: String { "\(path)/pipewire-0" }

  /// Starts everything and waits until each device's ports exist.
  /// - Throws: `SessionError`; nothing is left behind.
  package init(_ configuration: SessionConfiguration = .init()) throws {
    self.configuration = configuration
    var environment = ProcessInfo.processInfo.environment.filter { variable in
      !["PIPEWIRE_", "PULSE_", "XDG_", "WIREPLUMBER_", "DBUS_", "SPA_"].contains { variable.key.hasPrefix($0) }
    }
    environment["PATH"] = configuration.path ?? environment["PATH"] ?? "/usr/bin:/bin"
    let folder = try SessionFolder(environment: environment)
    path = folder.path
    group = folder.group
    environment.merge([
      "HOME": path, "XDG_RUNTIME_DIR": path, "PIPEWIRE_RUNTIME_DIR": path, "PULSE_RUNTIME_PATH": "\(path)/pulse",
      "XDG_CONFIG_HOME": "\(path)/config", "XDG_STATE_HOME": "\(path)/state", "XDG_CACHE_HOME": "\(path)/cache",
      "XDG_DATA_HOME": "\(path)/data",
      "PULSE_SERVER": "unix:\(path)/pulse/native",
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)/bus", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(path)/system-bus",
    ]) { $1 }
    if case .patient = configuration.clock { environment["SPA_PLUGIN_DIR"] = try SimulatedClock.pluginPath(environment) }
    self.environment = environment.merging(configuration.environment) { $1 }
    let group = configuration.clock == .speaker ? nil : SimulatedDevice.group
    desk = configuration.desk.map { Desk(socket: "\(folder.path)/pipewire-0", cards: $0, group: group) }
    loginManager = configuration.hasLoginManager ? LoginManager() : nil
    state = Mutex(State(folder: folder))
    do {
      for daemon in daemonsToRun { _ = try Program.find(daemon.program, path: environment["PATH"]!) }
      for (file, text) in configuration.files { try folder.write(text, to: "config/\(file)") }
      try folder.write(Self.busConfiguration(listeningAt: "\(path)/bus"), to: "bus.conf")
      try folder.write(Self.busConfiguration(listeningAt: "\(path)/system-bus"), to: "system-bus.conf")
      try folder.write("", to: "logs/session.log")
      try start()
    } catch {
      end()
      throw error
    }
  }

  deinit { end() }

  /// Ends every process of the session and removes its folder. Idempotent.
  package func end() {
    let (clients, daemons, folder) = state.withLock { state in
      defer { state = State(folder: nil) }
      return (state.clients, state.daemons, state.folder)
    }
    for client in clients.reversed() { client.end(grace: 1) }
    desk?.stop()
    loginManager?.disconnect()
    for daemon in Daemon.allCases.reversed() { daemons[daemon]?.end(grace: 1) }
    withExtendedLifetime(folder) {}
  }

  /// Has no service folder, so that nothing of the machine's can be started through this bus.
  private static func busConfiguration(listeningAt socket: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(socket)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
    </busconfig>

    """
  }
}
