/// Everything that nearend reports about itself at one instant: the data of the dashboard and of `--json`.
///
/// A plain value, so that no reader can hold up audio. Field names are those of the status document and do not change. [any]
package struct Snapshot: Codable, Sendable, Equatable {
  /// nearend's version, "1.2.3".
  package var version: String
  /// Seconds since the process started.
  package var uptime: Double
  /// Processor time used by the whole process since the last snapshot, in percent of one processor.
  package var cpuPercent: Double
  /// The session: its media, mute and interruptions.
  package var session: SessionStatus
  /// The filter node: its cycles, latencies and links.
  package var graph: GraphStatus
  /// The real devices in use and those available.
  package var route: RouteStatus
  /// The capture chain: its components as requested and in effect, and its measurements.
  package var processing: ProcessingStatus
  /// One row per participant, in the order of registration.
  package var sinks: [SinkStatus]
  /// The program that receives the processed microphone, if any.
  package var source: SourceStatus?
  /// The machines that the voice is sent to (K12).
  package var sends: [SendStatus] = []
  /// The audio that programs play into the outgoing microphone.
  package var appAudio = AppAudioStatus()
  /// Linear gain of everything that nearend plays, 0–1 (D5).
  package var outputVolume = 1.0
  /// Oldest first, at most `EventLog.capacity` entries.
  package var log: [LogEntry]
  /// The state of ducking (D3).
  package var ducking: DuckingStatus
  /// LADSPA plug-ins in the capture and the render chain (S6).
  package var stages: [StageStatus] = []
  /// Named sets of settings; nil where none are kept.
  package var presets: PresetsStatus?
  /// Of a person who hears themselves, or did last; nil before the first.
  package var audition: AuditionStatus?
  /// The rehearsal's measurements; present only in a rehearsal.
  package var rehearsal: RehearsalStatus?

  package init(
    version: String, uptime: Double = 0, cpuPercent: Double = 0, session: SessionStatus = .init(),
    graph: GraphStatus = .init(), route: RouteStatus = .init(), processing: ProcessingStatus = .init(),
    sinks: [SinkStatus] = [], source: SourceStatus? = nil, log: [LogEntry] = [], ducking: DuckingStatus = .init(),
    rehearsal: RehearsalStatus? = nil
  ) {
    self.version = version
    self.uptime = uptime
    self.cpuPercent = cpuPercent
    self.session = session
    self.graph = graph
    self.route = route
    self.processing = processing
    self.sinks = sinks
    self.source = source
    self.log = log
    self.ducking = ducking
    self.rehearsal = rehearsal
  }
}

/// Who sends and receives, and whether the session is interrupted.
public struct SessionStatus: Codable, Sendable, Equatable {
  /// The session's phase, as shown in the dashboard's headline.
  public enum State: String, Codable, Sendable {
    /// Nothing sends or receives, and recording is not prepared: the microphone is closed and no cycle runs.
    case idle
    /// Media is registered or recording is prepared, and the graph runs.
    case active
    /// Media is registered or recording is prepared, but the session is not active: the call manager has not activated it (S1, I4), or
    /// recovery waits for the foreground (I3).
    case waiting
    /// Interrupted; `interruption` has the reason.
    case interrupted
  }
  /// The phase; `interrupted` takes precedence over the others.
  package var state: State
  /// Ids of the media that send (record the processed microphone), for example "parec-71".
  package var sendMedia: [String]
  /// Ids of the media that receive (play through nearend).
  package var receiveMedia: [String]
  /// The current interruption that began first, if any.
  package var interruption: Interruption?
  /// Interruptions since the start, past and current, oldest first, at most `InterruptionHistory.capacity` (I1).
  package var interruptions: [InterruptionRecord]
  /// A Boolean value indicating whether a person has muted the microphone (D1).
  package var isMicrophoneMuted: Bool
  /// How a mute is carried out (D1), muted or not.
  package var microphoneMuteMode = MicrophoneMuteMode.voiceProcessing
  /// A Boolean value indicating whether somebody talks while muted (D2). False if it cannot be detected: in mute mode `restart`, and
  /// without voice processing.
  package var isTalkingWhileMuted = false
  /// Seconds for which the open microphone has given nothing but digital silence, since it was opened or after half a minute without a
  /// pause; nil if it has sounded and may be a gate, is muted in nearend, or nobody records.
  package var microphoneSilence: Double?
  /// A Boolean value indicating whether the capture path is kept warm although nothing sends (S8).
  package var isRecordingAlwaysPrepared = false
  /// `isSessionActive` (S7).
  package var isActive: Bool
  /// `manualAudioSessionManagement` (S1).
  package var isManual: Bool

  package init(
    state: State = .idle, sendMedia: [String] = [], receiveMedia: [String] = [],
    interruption: Interruption? = nil, interruptions: [InterruptionRecord] = [], isMicrophoneMuted: Bool = false, isActive: Bool = false,
    isManual: Bool = false
  ) {
    self.interruptions = interruptions
    self.isActive = isActive
    self.isManual = isManual
    self.state = state
    self.sendMedia = sendMedia
    self.receiveMedia = receiveMedia
    self.interruption = interruption
    self.isMicrophoneMuted = isMicrophoneMuted
  }
}

/// The filter node in PipeWire's graph.
package struct GraphStatus: Codable, Sendable, Equatable {
  /// A Boolean value indicating whether the daemon is there.
  package var isConnected: Bool
  /// The daemon's version, "0.3.65"; empty while it is away.
  package var daemonVersion: String
  /// Id of the node `nearend`; nil while there is none.
  package var nodeId: UInt32?
  /// Name of the node whose clock drives the graph.
  package var driver: String
  /// Frames per cycle; 0 before the first cycle.
  package var quantum: Int
  /// Frames per second; 0 before the first cycle.
  package var rate: Int
  /// Cycles processed since start.
  package var cycles: UInt64
  /// Share of the cycle's time that nearend's callback takes, smoothed over a second; 1 is all of it (pw-top's B/Q).
  package var busyRatio: Double
  /// Largest share of a single cycle's time in the last second.
  package var busyRatioPeak: Double
  /// Cycles missed while the graph ran, since start or since the counters were cleared.
  package var xruns: UInt64
  /// Frames that nearend adds from the real microphone's port to *Nearend Microphone*.
  package var captureLatency: Int
  /// Frames that nearend adds from *Nearend Speaker* to the real speaker's port.
  package var renderLatency: Int
  /// Links from the real microphone that exist now.
  package var captureLinks: Int
  /// Links to the real speaker that exist now.
  package var renderLinks: Int
  /// The audio thread's realtime priority, 1–99; 0 if it has none, nil before its first cycle.
  package var realtimePriority: Int?
  /// The cycles of the last three minutes at the present quantum.
  package var recent: RecentCycles
  /// Names of the nodes that play nearend's sound back into nearend within a cycle; what they play into is cut off meanwhile.
  package var loops: [String]

  package init(
    isConnected: Bool = false, daemonVersion: String = "", nodeId: UInt32? = nil, driver: String = "",
    quantum: Int = 0, rate: Int = 0, cycles: UInt64 = 0, busyRatio: Double = 0, busyRatioPeak: Double = 0,
    xruns: UInt64 = 0, captureLatency: Int = 0, renderLatency: Int = 0, captureLinks: Int = 0,
    renderLinks: Int = 0, realtimePriority: Int? = nil, recent: RecentCycles = RecentCycles(), loops: [String] = []
  ) {
    self.isConnected = isConnected
    self.daemonVersion = daemonVersion
    self.nodeId = nodeId
    self.driver = driver
    self.quantum = quantum
    self.rate = rate
    self.cycles = cycles
    self.busyRatio = busyRatio
    self.busyRatioPeak = busyRatioPeak
    self.xruns = xruns
    self.captureLatency = captureLatency
    self.renderLatency = renderLatency
    self.captureLinks = captureLinks
    self.renderLinks = renderLinks
    self.realtimePriority = realtimePriority
    self.recent = recent
    self.loops = loops
  }
}

/// The real devices in use, and those available.
package struct RouteStatus: Codable, Sendable, Equatable {
  /// The real microphone in use, or to be used once something records; nil if there is none.
  package var microphone: Device?
  /// The real speaker in use; nil if there is none.
  package var speaker: Device?
  /// Node name of the microphone that a person picked, present or not; nil while the default is followed (R2).
  package var pickedMicrophone: String?
  /// Node name of the speaker that a person picked, present or not; nil while the default is followed (R2).
  package var pickedSpeaker: String?
  /// The source of the echo canceller's reference (V4).
  package var reference: ReferenceSource
  /// Every real device that could be chosen.
  package var devices: [Device]
  /// The live route as inputs and outputs (R3); empty without devices.
  package var current: RouteDescription
  /// A Boolean value indicating whether playback is paused because headphones were unplugged (R5).
  package var isPausedAfterUnplug: Bool
  /// A Boolean value indicating whether *Nearend Speaker* and *Nearend Microphone* are the system's configured defaults (R2).
  package var areOursDefault: Bool
  /// The programs that play or record now, by name, with the devices that they use.
  package var programs: [ProgramStatus] = []
  /// The names of the programs that are moved to nearend's devices: the setting `usedPrograms`.
  package var usedPrograms: [String] = []
  /// How programs that choose no device come to use nearend (R2).
  package var defaults = DefaultDeviceStatus()
  /// Volumes and mutes set by mixers and switches.
  package var volumes = VolumesStatus()
  /// The channels of the microphone in use, while it is open and has several (V15).
  package var microphoneInputs: [MicrophoneInput] = []

  package init(
    microphone: Device? = nil, speaker: Device? = nil, pickedMicrophone: String? = nil, pickedSpeaker: String? = nil,
    reference: ReferenceSource = .everything,
    devices: [Device] = [], current: RouteDescription = RouteDescription(), isPausedAfterUnplug: Bool = false, areOursDefault: Bool = false
  ) {
    self.microphone = microphone
    self.speaker = speaker
    self.pickedMicrophone = pickedMicrophone
    self.pickedSpeaker = pickedSpeaker
    self.reference = reference
    self.devices = devices
    self.current = current
    self.isPausedAfterUnplug = isPausedAfterUnplug
    self.areOursDefault = areOursDefault
  }

  /// The picked device; nil while the default is followed.
  package func picked(_ direction: Device.Direction) -> String? { direction == .input ? pickedMicrophone : pickedSpeaker }

  /// Returns the picked device if it is missing; it is used as soon as it appears.
  package func missingPick(_ direction: Device.Direction) -> String? {
    picked(direction).flatMap { name in devices.contains { $0.direction == direction && $0.name == name } ? nil : name }
  }
}

/// A real audio device, identified by its node name, never by its id.
public struct Device: Codable, Sendable, Equatable, Hashable {
  /// The direction of the sound, as seen from the machine.
  public enum Direction: String, Codable, Sendable { case input, output }
  /// `node.name`, for example "alsa_output.pci-0000_00_1f.3.analog-stereo".
  public var name: String
  /// `node.description`, for people.
  public var description: String
  /// `input` for a microphone, `output` for a speaker.
  public var direction: Direction
  /// A Boolean value indicating whether the session manager uses it by default.
  public var isDefault: Bool
  /// The kind of device (R3).
  public var portType: PortType
  /// Its active port, for people: "Headphones"; empty if it has none.
  public var portDescription: String
  /// Whether something is plugged in. A device with `no` is not used by default if there is any other.
  public var availability: PortAvailability

  package init(
    name: String, description: String, direction: Direction, isDefault: Bool = false, portType: PortType = .other,
    portDescription: String = "",
    availability: PortAvailability = .unknown
  ) {
    self.name = name
    self.description = description
    self.direction = direction
    self.isDefault = isDefault
    self.portType = portType
    self.portDescription = portDescription
    self.availability = availability
  }
}

/// The source of the echo canceller's reference (V4).
public enum ReferenceSource: String, Codable, Sendable, CaseIterable {
  /// Everything the real speaker plays, other applications included.
  case everything
  /// Only nearend's own mix.
  case mix

  /// A description for people.
  public var words: String {
    switch self {
    case .everything: "everything the speaker plays"
    case .mix: "nearend's own mix"
    }
  }
}

/// A log entry for people.
public struct LogEntry: Codable, Sendable, Equatable {
  /// The severity of an entry; in the systemd journal it is the line's priority.
  public enum Level: String, Codable, Sendable { case info, warning, error }
  /// Seconds since 1970-01-01 00:00 UTC.
  public var time: Double
  /// The severity; `info` requires no reaction.
  public var level: Level
  /// One line of printable text, of bounded length.
  public var message: String

  package init(time: Double, level: Level, message: String) {
    self.time = time
    self.level = level
    self.message = message
  }
}

/// The simulated room's own measurements, made outside nearend at its input and output.
package struct RehearsalStatus: Codable, Sendable, Equatable {
  /// Who talks in the room now.
  package enum Phase: String, Codable, Sendable, CaseIterable { case silence, farEnd, nearEnd, doubleTalk }
  /// Who talks now, according to the conversation's script.
  package var phase: Phase
  /// Echo return loss enhancement in dB while only the far end talks, from 5 s on; nil until measured.
  package var erle: Double?
  /// Near-end speech level at the output relative to the microphone, in dB, while only the near end talks; nil until measured.
  package var nearEndLevel: Double?
  /// Seconds since the room started.
  package var seconds: Double

  package init(phase: Phase = .silence, erle: Double? = nil, nearEndLevel: Double? = nil, seconds: Double = 0) {
    self.phase = phase
    self.erle = erle
    self.nearEndLevel = nearEndLevel
    self.seconds = seconds
  }
}
