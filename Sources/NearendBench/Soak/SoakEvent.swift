import SessionModel
import SimulatedHardware

/// An event of a soak, with everything needed to repeat it.
enum SoakEvent: Equatable {
  case bypass(Bool)
  case mute(Bool)
  case component(ProcessingComponent, Bool)
  case clearCounters
  /// A participant arrives whose PCM a program writes; `talker` is one of the conversation's three.
  case ringSinkComes(id: String, talker: Int, rate: Int)
  case ringSinkLeaves(id: String)
  case deviceComes(id: String)
  case deviceLeaves(id: String)
  /// An application arrives that plays into the node `target`.
  case playerComes(id: String, target: String)
  case playerLeaves(id: String)
  case recorderComes(id: String)
  case recorderLeaves(id: String)
  case sinkMuted(id: String, Bool)
  case sinkGain(id: String, Double)
  /// A program plays into the microphone over the socket, for some seconds.
  case uploadComes(id: String, rate: Int, channels: Int, seconds: Double)
  case uploadLeaves(id: String)
  /// This process plays a buffer of application audio.
  case capture(frames: Int, rate: Int, channels: Int)
  /// Another program plays on the default speaker.
  case musicComes
  case musicLeaves
  case setting(Setting, EventValue)
  /// Checks that the microphone is silent with this mode of muting.
  case gate(MicrophoneMuteMode)
  /// Everybody leaves the call, and a new one begins.
  case hangUp
  case quantum(Int)
  /// A daemon ends, by a signal that kills it if `isKilled`, and is started again.
  case restart(PrivateSession.Daemon, isKilled: Bool)
  /// An incident of the desk, the login session or a daemon.
  case incident(Incident)
  /// A telephone starts or stops playing to the laptop's speaker.
  case phone(Bool)
  /// A person configures the session's default device; nil for none.
  case configuredDefault(Device.Direction, name: String?)
  case pick(Device.Direction, name: String?)
  /// Resumes playback if headphones are gone.
  case resume
  /// Everybody leaves, and memory is measured.
  case measurement

  /// The category for counting.
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
  /// Whether the session must afterwards be as before, or be interrupted by something else.
  var isFault: Bool {
    switch self {
    case .incident, .phone, .configuredDefault, .pick, .restart: true
    default: false
    }
  }
}
