import PipeWireGraph
import SessionModel

/// Muting, prepared recording, and what is mixed into the outgoing microphone (D1, D4, D5, S8). [any]
extension AudioSessionManager {
  /// A Boolean value indicating whether the person at the microphone is muted; application audio is still heard (D1). Default false.
  public var isMicrophoneMuted: Bool {
    get { owner[isOn: .microphoneMuted] }
    set { owner[isOn: .microphoneMuted] = newValue }
  }

  /// How the microphone is muted; a change while muted takes effect at once. Default `.voiceProcessing`.
  public var microphoneMuteMode: MicrophoneMuteMode { owner[.microphoneMuteMode, default: .voiceProcessing] }

  /// Sets `microphoneMuteMode`. LiveKit: `set(microphoneMuteMode:)`.
  public func set(microphoneMuteMode mode: MicrophoneMuteMode) {
    owner[.microphoneMuteMode, default: .voiceProcessing] = mode
  }

  /// Switches prepared recording. With true, the session starts or stays with the microphone open, the capture path warm and the voice
  /// silent until somebody sends; the first audio then comes within one cycle, even after the last media is gone. False hands everything
  /// back if no media is registered. A person's mute in mode `restart` still closes the microphone. LiveKit:
  /// `setRecordingAlwaysPreparedMode` (S8).
  /// - Throws: why the session cannot start; nothing has changed then.
  public func setRecordingAlwaysPreparedMode(_ on: Bool) throws(GraphError) {
    try owner.prepareRecording(on)
  }

  /// A Boolean value indicating whether prepared recording is on. Default false.
  public var isRecordingAlwaysPreparedMode: Bool { owner[isOn: .recordingAlwaysPrepared] }

  /// What is mixed into the outgoing microphone. LiveKit: `mixer`.
  public var mixer: MicrophoneMixer { MicrophoneMixer(owner: owner) }
}
