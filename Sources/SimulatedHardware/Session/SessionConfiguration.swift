import Foundation

/// The configuration of a private session.
package struct SessionConfiguration: Sendable {
  /// The driver of the graph.
  package enum Clock: Sendable, Equatable {
    /// The first speaker, as on a real machine: its monitor is one quantum late.
    case speaker
    /// PipeWire's own timer, `support.node.driver`: it waits for no node, so a cycle that is not finished in time is lost.
    case timer
    /// A timer that begins no cycle before the last has finished (or 50 ms have passed): if the machine stalls, the whole graph stalls with
    /// it, and recordings stay exact to the sample. `speed` 1 is real time, 4 is four times as fast.
    case patient(speed: Double = 1)
  }
  /// The daemons of a session, in the order in which they start; `rawValue` is a name for people.
  package enum Daemon: String, Sendable, CaseIterable {
    case bus = "dbus-daemon"
    case systemBus = "dbus-daemon --system"
    case pipewire
    case wireplumber
    case pulse = "pipewire-pulse"

    /// The name of the daemon's program.
    var program: String { self == .systemBus ? Self.bus.rawValue : rawValue }

    /// Whether the program is in this process's `PATH`.
    package var isInstalled: Bool {
      (try? Program.find(program, path: ProcessInfo.processInfo.environment["PATH"] ?? "")) != nil
    }
  }

  /// Forced frames per cycle; nil leaves the choice to PipeWire. If it is not a power of two, quanta forced later are not rounded to one,
  /// either.
  package var quantum: Int?
  /// Frames per second of the graph.
  package var rate = 48_000
  /// The driver of the graph; by default the first speaker.
  package var clock = Clock.speaker
  /// The sound devices that the PipeWire daemon makes itself; ignored with a desk.
  package var devices: [SimulatedDevice] = [.speaker, .microphone]
  /// The cards of a desk, which replace `devices`; nil for no desk. With `Clock.speaker` each of their nodes has a clock of its own, and
  /// the one with the highest priority drives what is linked.
  package var desk: [DeskCard]?
  /// Whether there is a system bus with a login manager.
  package var hasLoginManager = false
  /// Whether pipewire-pulse runs besides the bus, PipeWire and WirePlumber.
  package var runsPulse = true
  /// Additional fragments of the daemon's configuration: SPA JSON by file name without folder or extension.
  package var fragments: [String: String] = [:]
  /// Additional variables for the daemons and for `PrivateSession.environment`.
  package var environment: [String: String] = [:]
  /// The folders to search for programs, like `PATH`; nil for this process's `PATH`.
  package var path: String?
  /// Seconds to wait for a fact before giving up the session.
  package var timeout = factTimeout

  /// Creates the configuration of a whole session with one speaker and one microphone, 48 kHz, and no desk.
  package init() {}

  /// The devices that the daemon makes.
  var daemonDevices: [SimulatedDevice] { desk == nil ? devices : [] }

  /// The drop-in for `pipewire.conf.d`.
  var pipewire: String {
    let clockNode =
      switch clock {
      case .speaker: ""
      case .timer: driver("support.node.driver", "")
      case .patient(let speed): driver("simulated.clock", "clock.speed = \(speed)")
      }
    let objects = daemonDevices.enumerated().map { index, device in
      device.configuration(drivesAt: device.kind == .speaker ? 5_000 - index : 2_000 - index)
    }
    return """
      context.properties = {
        default.clock.rate = \(rate)  default.clock.allowed-rates = [ \(rate) ]
        default.clock.min-quantum = 32  default.clock.max-quantum = 8192  vm.overrides = { }
        clock.power-of-two-quantum = \(roundsQuantum)
      }
      context.spa-libs = { simulated.* = libSimulatedClock }
      context.objects = [
      \((clockNode.isEmpty ? objects : [clockNode] + objects).joined(separator: "\n"))
      ]

      """
  }

  /// PipeWire rounds every quantum, even a forced one, down to a power of two unless configured otherwise.
  private var roundsQuantum: Bool { quantum.map { $0 & ($0 - 1) == 0 } ?? true }

  private func driver(_ factory: String, _ properties: String) -> String {
    """
      { factory = spa-node-factory  args = { factory.name = \(factory)  node.name = hw.clock  node.group = \(SimulatedDevice.group)
          priority.driver = 100000  \(properties) } }
    """
  }

  /// Every file of the private configuration, by its path below `XDG_CONFIG_HOME`.
  ///
  /// The session manager must leave the machine's own devices alone: on the private bus it would not know that they are in use.
  var files: [String: String] {
    var files = [
      "pipewire/pipewire.conf.d/simulated-hardware.conf": pipewire,
      // WirePlumber 0.4
      "wireplumber/main.lua.d/51-no-hardware.lua": """
      alsa_monitor.enabled = false
      v4l2_monitor.enabled = false
      libcamera_monitor.enabled = false

      """,
      "wireplumber/bluetooth.lua.d/51-no-hardware.lua": "bluez_monitor.enabled = false\n",
      // WirePlumber 0.5
      "wireplumber/wireplumber.conf.d/no-hardware.conf": """
      wireplumber.profiles = {
        main = { hardware.audio = disabled  hardware.bluetooth = disabled  hardware.video-capture = disabled }
      }

      """,
    ]
    for (name, text) in fragments { files["pipewire/pipewire.conf.d/\(name).conf"] = text }
    return files
  }
}
