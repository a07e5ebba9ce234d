import SessionModel
import SimulatedHardware

/// One thing that happens during a soak, with everything that it takes to do it again.
enum SoakEvent: Equatable {
  case bypass(Bool)
  case mute(Bool)
  case component(ProcessingComponent, Bool)
  case clearCounters
  /// A participant whose PCM a program writes; `talker` is one of the conversation's three.
  case ringSinkComes(id: String, talker: Int, rate: Int)
  case ringSinkLeaves(id: String)
  case deviceComes(id: String)
  case deviceLeaves(id: String)
  /// An application that plays into the node `target`.
  case playerComes(id: String, target: String)
  case playerLeaves(id: String)
  case recorderComes(id: String)
  case recorderLeaves(id: String)
  case sinkMuted(id: String, Bool)
  case sinkGain(id: String, Double)
  /// A program plays into the microphone over the socket, for some seconds.
  case uploadComes(id: String, rate: Int, channels: Int, seconds: Double)
  case uploadLeaves(id: String)
  /// A piece of application audio from this process.
  case capture(frames: Int, rate: Int, channels: Int)
  /// Another program's stream on the default speaker.
  case musicComes
  case musicLeaves
  case setting(Setting, EventValue)
  /// Muted so, the microphone gives silence.
  case gate(MicrophoneMuteMode)
  /// Everybody leaves the call, and it begins anew.
  case hangUp
  case quantum(Int)
  /// A daemon ends, at once where `isKilled`, and comes back.
  case restart(PrivateSession.Daemon, isKilled: Bool)
  /// Something on the desk, with the login session or with a daemon.
  case incident(Incident)
  /// A telephone plays to the laptop's speaker, or ends.
  case phone(Bool)
  /// The session's default device, as a person configures it; nil: none.
  case configuredDefault(Device.Direction, name: String?)
  case pick(Device.Direction, name: String?)
  /// Where headphones are gone: go on in the room.
  case resume
  /// Everybody leaves, and memory is measured.
  case measurement

  /// What it is counted as.
  var kind: String {
    switch self {
    case .bypass, .mute, .component, .clearCounters: "toggle"
    case .ringSinkComes: "ring sink came"
    case .ringSinkLeaves: "ring sink left"
    case .deviceComes: "device came"
    case .deviceLeaves: "device left"
    case .playerComes: "player came"
    case .playerLeaves: "player left"
    case .recorderComes: "recorder came"
    case .recorderLeaves: "recorder left"
    case .sinkMuted, .sinkGain: "sink setting"
    case .uploadComes: "upload came"
    case .uploadLeaves: "upload left"
    case .capture: "piece captured"
    case .musicComes: "music came"
    case .musicLeaves: "music left"
    case .setting(let setting, _): setting.rawValue
    case .gate: "mute looked at"
    case .hangUp: "call ended"
    case .quantum: "quantum"
    case .restart(let daemon, _): "\(daemon.rawValue) restart"
    case .incident(.xruns): "xruns"
    case .incident(let incident): incident.line
    case .phone(let comes): comes ? "phone came" : "phone left"
    case .configuredDefault: "default switched"
    case .pick: "device picked"
    case .resume: "resume"
    case .measurement: "measurement"
    }
  }
}

extension SoakEvent {
  /// Whether it is one of those after which the session must be as it was, or be held up by something else.
  var isFault: Bool {
    switch self {
    case .incident, .phone, .configuredDefault, .pick, .restart: true
    default: false
    }
  }
}
