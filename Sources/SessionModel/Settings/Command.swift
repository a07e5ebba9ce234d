/// A request of a person or a program to a running nearend. [any]
public enum Command: Sendable, Equatable {
  case setBypass(Bool)
  case setComponent(ProcessingComponent, Bool)
  /// Chooses the echo canceller, or none (V10).
  case setEchoCanceller(EchoCanceller)
  /// Chooses what becomes of the room around the voice (V12).
  case setMicMode(MicMode)
  case setMicrophoneMuted(Bool)
  case setMicrophoneMuteMode(MicrophoneMuteMode)
  /// Keeps the capture path warm though nobody sends (S8).
  case setRecordingAlwaysPrepared(Bool)
  /// Linear gain of the processed microphone, 0–1 (D5).
  case setMicVolume(Double)
  /// Linear gain of application audio, 0–1 (D5).
  case setAppVolume(Double)
  /// Lowers application audio while the near end talks (D4).
  case setAppDucking(Bool)
  /// Plays application audio on the local speaker, too (D4).
  case setAppMonitor(Bool)
  case setSinkMuted(id: String, Bool)
  /// Linear gain, 0–4.
  case setSinkGain(id: String, Double)
  /// Resets the counts of underruns, drops and xruns.
  case clearCounters
  /// Uses this device instead of the session manager's default; nil follows the default again.
  case pickDevice(Device.Direction, name: String?)
  /// Linear gain of the whole mix, 0–1 (D5).
  case setOutputVolume(Double)
  /// What the echo canceller hears of the speaker (V4).
  case setReference(ReferenceSource)
  /// nearend's devices are the session's defaults, or no longer (R2).
  case setDefaultDevices(Bool)
  /// Sets whether playback pauses when headphones are gone (R5).
  case setPauseOnUnplug(Bool)
  /// Resumes, in the room, what has been paused since headphones were unplugged (R5).
  case resumeAfterUnplug
  /// Sets how far other applications are lowered while a call is up (D3).
  case setDuckingLevel(DuckingLevel)
  /// Sets whether they are lowered further while somebody speaks (D3).
  case setAdvancedDucking(Bool)
  /// Writes the diagnostics to a file and logs its path.
  case saveDiagnostics
}

extension Command {
  /// The setting that the command changes, if any.
  public var setting: Setting? {
    switch self {
    case .setBypass: .bypassVoiceProcessing
    case .setComponent(.gainControl, _): .voiceProcessingEnableAGC
    case .setComponent(.noiseSuppression, _): .noiseSuppression
    case .setComponent(.echoCancellation, _): .echoCancellation
    case .setComponent(.highPassFilter, _): .highPassFilter
    case .setEchoCanceller: .echoCanceller
    case .setMicMode: .micMode
    case .setMicrophoneMuted: .microphoneMuted
    case .setMicrophoneMuteMode: .microphoneMuteMode
    case .setRecordingAlwaysPrepared: .recordingAlwaysPrepared
    case .setMicVolume: .micVolume
    case .setAppVolume: .appVolume
    case .setAppDucking: .appDucking
    case .setAppMonitor: .appMonitor
    case .setOutputVolume: .outputVolume
    case .pickDevice(.input, _): .microphone
    case .pickDevice(.output, _): .speaker
    case .setReference: .reference
    case .setDefaultDevices: .defaultDevices
    case .setPauseOnUnplug: .pauseOnUnplug
    case .setDuckingLevel: .duckingLevel
    case .setAdvancedDucking: .isAdvancedDuckingEnabled
    case .setSinkMuted, .setSinkGain, .clearCounters, .saveDiagnostics, .resumeAfterUnplug: nil
    }
  }
}
