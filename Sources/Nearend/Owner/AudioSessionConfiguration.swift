import Foundation
import PipeWireGraph
import SessionModel

/// The configuration of a session. Locked while a session exists (L6). [any]
public struct AudioSessionConfiguration: Sendable {
  /// Path of the daemon's socket, or its name; nil for the user's own.
  public var remote: String?
  /// `node.name` of the real microphone; nil follows the default.
  public var microphone: String?
  /// `node.name` of the real speaker; nil follows the default.
  public var speaker: String?
  /// The echo canceller's reference of what the speakers play (V4); ``AudioSession/reference`` changes it in a session.
  public var reference: ReferenceSource {
    get { settings.reference }
    set { settings.reference = newValue }
  }
  /// Path of the control socket, by default `$XDG_RUNTIME_DIR/nearend/control.sock`: if a nearend answers there, the session joins it
  /// (``AudioSession/mode``). nil neither joins nor opens one.
  public var controlSocket: String?
  /// A Boolean value indicating whether a session of this process's own opens the control socket, so that commands, the dashboard and other
  /// programs on the library can use it. If false, it is this program's alone, and others are refused while it lasts. Default true.
  public var opensControlSocket = true
  /// What interrupts a session besides the graph itself (I1).
  public var interruptions: InterruptionOptions
  /// How programs that choose no device come to use *Nearend Speaker* and *Nearend Microphone* while the session runs (R2). Default `off`.
  public var defaultDevices: DefaultDeviceMode {
    get { settings.defaultDeviceMode }
    set { settings.defaultDeviceMode = newValue }
  }
  /// A Boolean value indicating whether ``defaultDevices`` is not `off`; true sets `on`.
  public var areDefaultDevices: Bool {
    get { defaultDevices != .off }
    set { defaultDevices = newValue ? .on : .off }
  }
  /// A Boolean value indicating whether playback pauses when headphones are unplugged, instead of continuing in the room (R5). Default
  /// true.
  public var pausesOnUnplug: Bool {
    get { settings.pausesOnUnplug }
    set { settings.pausesOnUnplug = newValue }
  }
  /// Folder of the file that says what to restore after a crash, by default the user's own; nil restores nothing.
  public var stateFolder: String?
  /// Where telemetry goes (T3); nowhere by default.
  public var telemetry: TelemetryOptions
  /// Called with each log entry, in order, on a thread of its own; it may call the session. If nil, warnings and errors are written to
  /// standard error; a function that does nothing silences them.
  public var log: (@Sendable (LogEntry) -> Void)?

  var settings = GraphSettings()

  /// Creates a configuration of the user's own daemon, whose default devices are followed, and without telemetry.
  ///
  /// If `remote` is given, `stateFolder` is nil: what a crash leaves on another daemon is not restored, unless the caller names a folder.
  public init(
    remote: String? = nil, microphone: String? = nil, speaker: String? = nil, reference: ReferenceSource = .everything,
    interruptions: InterruptionOptions = InterruptionOptions(),
    controlSocket: String? = ControlPath.standard(ProcessInfo.processInfo.environment), telemetry: TelemetryOptions = TelemetryOptions(),
    log: (@Sendable (LogEntry) -> Void)? = nil
  ) {
    self.remote = remote
    self.microphone = microphone
    self.speaker = speaker
    settings.reference = reference
    self.controlSocket = controlSocket
    self.interruptions = interruptions
    stateFolder = remote == nil ? StatePath.standard(ProcessInfo.processInfo.environment) : nil
    self.telemetry = telemetry
    self.log = log
  }

  var options: NearendOptions {
    var options = NearendOptions(
      graph: GraphOptions(remote: remote, microphone: microphone, speaker: speaker, interruptions: interruptions))
    options.graph.settings = settings
    options.graph.stateFolder = stateFolder
    options.controlSocket = opensControlSocket ? controlSocket : nil
    options.telemetry = telemetry
    return options
  }
}
