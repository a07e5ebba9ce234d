/// Everything that decides whether the session runs, and for whom. Changed by `reduce` only. [any]
///
///     media ──┐
///     active ─┼──▶ isUnitRunning ──▶ demand ──▶ links
///     held up ┘
public struct SessionState: Sendable, Equatable {
  /// The one consumer of the processed microphone in a program (L5).
  public struct Source: Sendable, Equatable {
    public enum Phase: String, Codable, Sendable {
      /// Waits for the session to run, and needs no restart then (S3).
      case deferred
      case running
    }
    public var mediaId: String
    public var phase: Phase
    /// It has had audio that is not silence (T5).
    public var hadAudio = false
    /// nil where it takes the rate that it is given.
    public var resampling: Resampling?
  }

  /// What a source converts (T5).
  public struct Resampling: Codable, Sendable, Equatable {
    /// Frames per second that it is given.
    public var captureRate: Int
    /// Frames per second that it puts out.
    public var outputRate: Int

    public init(captureRate: Int, outputRate: Int) {
      self.captureRate = captureRate
      self.outputRate = outputRate
    }
  }

  public internal(set) var settings = SessionSettings()
  /// In the order of registration; applications after programs.
  public internal(set) var media: [Media] = []
  public internal(set) var source: Source?
  /// Media ids of the ring sinks, in the order of registration.
  public internal(set) var sinks: [String] = []
  /// Manual mode: the call manager has activated the session and not yet deactivated it (S2).
  public internal(set) var isActivatedExternally = false
  /// What holds the session up now, in the order in which it began (I1).
  public internal(set) var interruptions: [Interruption.Reason] = []
  /// What would hold the session up now if nearend managed it (S5).
  public internal(set) var unheeded: [Interruption.Reason] = []
  public internal(set) var isInForeground = true
  /// Default mode: an interruption is over, and recovery waits for the return to the foreground (I3).
  public internal(set) var awaitsRecovery = false
  /// Default mode: the session was activated and no last media has deactivated it since (S5).
  public internal(set) var isActivated = false

  public init(settings: SessionSettings = SessionSettings()) { self.settings = settings }

  /// What outlasts the graph that the session ran in: how it is run, the call manager's word, and whether the login session is in front.
  public var atRest: SessionState {
    var rest = SessionState(settings: settings)
    // A unit that is gone is not kept prepared; who keeps the setting gives it to the next.
    rest.settings.isRecordingAlwaysPrepared = false
    rest.isActivatedExternally = isActivatedExternally
    rest.isInForeground = isInForeground
    return rest
  }

  /// The media of that id that a program registered; an application's of the same id is another.
  public func program(_ id: String) -> Media? { media.first { $0.id == id && $0.owner == .program } }

  /// Init-only settings are locked while there is a unit: media is registered, or recording is kept prepared (L6, S8).
  public var isLocked: Bool { isNeeded }

  /// `isSessionActive` (S7): configured and activated; sound can be captured and played.
  public var isActive: Bool {
    (settings.isManual ? isActivatedExternally : isActivated) && interruptions.isEmpty && !awaitsRecovery
  }

  /// Whether the voice-processing unit works: there is media, and the session is active.
  public var isUnitRunning: Bool { isActive && isNeeded }

  /// Whether there is a unit, running or held up: in manual mode the call manager's activation makes it, and an interruption takes it away (S1, S7).
  public var isUnitInitialised: Bool { settings.isManual ? isActivatedExternally : isActivated }

  /// Whether there is anything to run for: media, or a capture path that is to be kept warm (S8).
  public var isNeeded: Bool { !media.isEmpty || settings.isRecordingAlwaysPrepared }

  /// What mutes the voice now, and where (D1, S8).
  public var microphoneGate: MicrophoneGate {
    MicrophoneGate(
      isMuted: settings.isMicrophoneMuted, mutesInput: settings.microphoneMuteMode == .inputMixer,
      isHeld: settings.isRecordingAlwaysPrepared && !media.contains(where: \.isSend))
  }

  /// Muted so that the device can be suspended: a person's mute, which goes before keeping the path warm.
  public var closesMicrophone: Bool { settings.isMicrophoneMuted && settings.microphoneMuteMode == .restart }

  /// What the graph must provide now.
  public var demand: SessionDemand { isUnitRunning || isTried ? wanted : SessionDemand() }

  /// Whether a graph that froze is tried again: only what is demanded can show that it runs (I5). In manual mode whoever activates the session tries it.
  private var isTried: Bool {
    !settings.isManual && isActivated && !awaitsRecovery && isNeeded && interruptions == [.frozen]
  }

  /// What the graph would have to provide if nothing held the session up.
  public var wanted: SessionDemand {
    let isPrepared = settings.isRecordingAlwaysPrepared
    let sends = isPrepared || media.contains(where: \.isSend)
    return SessionDemand(
      sends: sends, receives: media.contains(where: \.isReceive), keepsAwake: isPrepared || media.contains { $0.owner == .program },
      linksDevices: settings.configuresDevices, opensMicrophone: sends && !closesMicrophone, isOnlyPrepared: isPrepared && media.isEmpty)
  }
}

/// What a session needs of the graph. [any]
public struct SessionDemand: Sendable, Equatable {
  /// The voice is to be made, of the real microphone where that is open (L4).
  public var sends: Bool
  public var receives: Bool
  /// A program takes part that is no node of the graph: nothing else would keep the cycles running.
  public var keepsAwake: Bool
  /// Whether nearend links the real devices by itself (S5).
  public var linksDevices: Bool
  /// The real microphone is to be linked: not while it is muted in mode `restart` (D1).
  public var opensMicrophone: Bool
  /// Nobody takes part: recording is kept prepared, and that is all (S8).
  public var isOnlyPrepared: Bool

  public var isActive: Bool { sends || receives }
  /// A call is up that nearend manages (D3, S5).
  public var isCall: Bool { isActive && !isOnlyPrepared && linksDevices }

  /// `opensMicrophone`: nil: wherever it sends.
  public init(
    sends: Bool = false, receives: Bool = false, keepsAwake: Bool = false, linksDevices: Bool = true,
    opensMicrophone: Bool? = nil, isOnlyPrepared: Bool = false
  ) {
    self.sends = sends
    self.receives = receives
    self.keepsAwake = keepsAwake
    self.linksDevices = linksDevices
    self.opensMicrophone = opensMicrophone ?? sends
    self.isOnlyPrepared = isOnlyPrepared
  }
}

/// What keeps the microphone from being heard. [any]
public struct MicrophoneGate: Sendable, Equatable {
  /// The person has muted it.
  public var isMuted: Bool
  /// Before processing, rather than behind it.
  public var mutesInput: Bool
  /// Nobody takes the voice, which is only kept warm (S8).
  public var isHeld: Bool
}
