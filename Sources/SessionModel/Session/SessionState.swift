/// Everything that decides whether the session runs, and who takes part. Only `reduce` changes it. [any]
///
///     media ────────┐
///     active ───────┼──▶ isUnitRunning ──▶ demand ──▶ links
///     interruption ─┘
package struct SessionState: Sendable, Equatable {
  /// The one consumer of the processed microphone in a program (L5).
  package struct Source: Sendable, Equatable {
    package enum Phase: String, Codable, Sendable {
      /// Waits for the session to run; it then needs no restart (S3).
      case deferred
      case running
    }
    package var mediaId: String
    package var phase: Phase
    /// Whether it has had audio other than silence (T5).
    package var hadAudio = false
    /// The resampling that the program has reported; nil if it uses the rate of its input, or has reported nothing.
    package var resampling: Resampling?
    /// Whether the program has reported whether it resamples.
    package var hasReportedResampling = false
  }

  /// The conversion that a source does (T5).
  package struct Resampling: Codable, Sendable, Equatable {
    /// Frames per second of its input.
    package var captureRate: Int
    /// Frames per second of its output.
    package var outputRate: Int

    package init(captureRate: Int, outputRate: Int) {
      self.captureRate = captureRate
      self.outputRate = outputRate
    }
  }

  package internal(set) var settings = SessionSettings()
  /// In the order of registration; applications after programs.
  package internal(set) var media: [Media] = []
  package internal(set) var source: Source?
  /// Registered media whose last source, registered or not any more, has had audio other than silence (T5).
  package internal(set) var mediaWithAudio: Set<String> = []
  /// Media ids of the ring sinks, in the order of registration.
  package internal(set) var sinks: [String] = []
  /// Manual mode: a Boolean value indicating whether the call manager has activated the session and not deactivated it since (S2).
  package internal(set) var isActivatedExternally = false
  /// The current interruptions, in the order in which they began (I1).
  package internal(set) var interruptions: [Interruption.Reason] = []
  /// The interruptions that are currently ignored because others manage the session (S5).
  package internal(set) var unheeded: [Interruption.Reason] = []
  package internal(set) var isInForeground = true
  /// Default mode: a Boolean value indicating whether an interruption has ended and recovery waits for the return to the foreground (I3).
  package internal(set) var awaitsRecovery = false
  /// Default mode: a Boolean value indicating whether the session was activated and the last media has not deactivated it since (S5).
  package internal(set) var isActivated = false

  package init(settings: SessionSettings = SessionSettings()) { self.settings = settings }

  /// The part of the state that outlasts the session's graph: settings, the call manager's activation, and whether the login session is in
  /// the foreground.
  package var atRest: SessionState {
    var kept = SessionState(settings: settings)
    // Prepared recording ends with the unit; the owner of the setting passes it to the next session.
    kept.settings.isRecordingAlwaysPrepared = false
    kept.isActivatedExternally = isActivatedExternally
    kept.isInForeground = isInForeground
    return kept
  }

  /// Returns the media of that id that a program registered; an application's media of the same id is distinct.
  package func program(_ id: String) -> Media? { media.first { $0.id == id && $0.owner == .program } }

  /// Whether init-only settings are locked: media is registered, or recording is prepared (L6, S8).
  package var isLocked: Bool { isNeeded }

  /// `isSessionActive` (S7): configured, activated and not interrupted, so that sound can be captured and played.
  package var isActive: Bool {
    (settings.isManual ? isActivatedExternally : isActivated) && interruptions.isEmpty && !awaitsRecovery
  }

  /// Whether the voice-processing unit runs: the session is active and needed.
  package var isUnitRunning: Bool { isActive && isNeeded }

  /// Whether there is a unit, running or interrupted. In manual mode it exists between the call manager's activation and an interruption or
  /// deactivation (S1, S7).
  package var isUnitInitialised: Bool { settings.isManual ? isActivatedExternally : isActivated }

  /// Whether nearend has configured the session for a call: it links the real devices, except while interrupted.
  package var isConfigured: Bool { isUnitInitialised && settings.configuresDevices }

  /// Whether there is a reason to run: media, or prepared recording (S8).
  package var isNeeded: Bool { !media.isEmpty || settings.isRecordingAlwaysPrepared }

  /// Whether and where the voice is muted now (D1, S8).
  package var microphoneGate: MicrophoneGate {
    MicrophoneGate(
      isMuted: settings.isMicrophoneMuted, mutesInput: settings.microphoneMuteMode == .inputMixer,
      isOnlyPrepared: settings.isRecordingAlwaysPrepared && !media.contains(where: \.isSend))
  }

  /// Whether a person's mute closes the microphone, so that the device can suspend; it overrides prepared recording. Who wants to hear
  /// themselves opens it, while others hear nothing.
  package var closesMicrophone: Bool { settings.isMicrophoneMuted && settings.microphoneMuteMode == .restart && !isAuditioned }

  /// Id of the media by which a person hears themselves: not one that programs could choose, by `IdRule`.
  package static let auditionMedia = "hear yourself"

  /// Whether a person hears themselves.
  package var isAuditioned: Bool { program(Self.auditionMedia) != nil }

  /// The current demand on the graph.
  package var demand: SessionDemand { isUnitRunning || isTried ? wanted : SessionDemand() }

  /// Whether the demand stays although the graph is frozen: only a linked graph can show that its cycles run again (I5). In manual mode the
  /// call manager's activation does this.
  private var isTried: Bool {
    !settings.isManual && isActivated && !awaitsRecovery && isNeeded && interruptions == [.frozen]
  }

  /// The demand on the graph if nothing interrupted the session.
  package var wanted: SessionDemand {
    let isPrepared = settings.isRecordingAlwaysPrepared
    let sends = isPrepared || media.contains(where: \.isSend)
    return SessionDemand(
      sends: sends, receives: media.contains(where: \.isReceive), keepsAwake: isPrepared || media.contains { $0.owner == .program },
      linksDevices: settings.configuresDevices, opensMicrophone: sends && !closesMicrophone, isOnlyPrepared: isPrepared && media.isEmpty)
  }
}

/// The demand of a session on the graph. [any]
package struct SessionDemand: Sendable, Equatable {
  /// Whether the voice is to be produced, from the real microphone if that is open (L4).
  package var sends: Bool
  package var receives: Bool
  /// Whether a program takes part without a node in the graph, so that nothing else keeps the cycles running.
  package var keepsAwake: Bool
  /// Whether nearend links the real devices itself (S5).
  package var linksDevices: Bool
  /// Whether the real microphone is linked; false while it is muted in mode `restart` (D1).
  package var opensMicrophone: Bool
  /// Whether recording is prepared and nothing takes part (S8).
  package var isOnlyPrepared: Bool

  package var isActive: Bool { sends || receives }
  /// Whether nearend manages a call (D3, S5).
  package var isCall: Bool { isActive && !isOnlyPrepared && linksDevices }

  /// If `opensMicrophone` is nil, the microphone is open whenever it sends.
  package init(
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

/// The reasons for which the microphone is silent. [any]
package struct MicrophoneGate: Sendable, Equatable {
  /// Whether the person has muted it.
  package var isMuted: Bool
  /// Whether a mute acts before processing instead of after it.
  package var mutesInput: Bool
  /// Whether the voice is only kept warm, and silent, because it has no consumer (S8).
  package var isOnlyPrepared: Bool
}
