import PipeWireGraph
import RealtimeCore
import SessionModel

/// Muting, prepared recording, and what is mixed into the outgoing microphone (D1, D4, D5, S8). [any]
extension AudioSessionManager {
  /// A Boolean value indicating whether the person at the microphone is muted; application audio is still heard (D1). Default false.
  public var isMicrophoneMuted: Bool {
    get { isOn(.microphoneMuted) }
    set { set(.microphoneMuted, to: .bool(newValue)) }
  }

  /// How the microphone is muted; a change while muted takes effect at once. Default `.voiceProcessing`.
  public var microphoneMuteMode: MicrophoneMuteMode { value(of: .microphoneMuteMode).word() ?? .voiceProcessing }

  /// Sets `microphoneMuteMode`. LiveKit: `set(microphoneMuteMode:)`.
  public func set(microphoneMuteMode mode: MicrophoneMuteMode) { set(.microphoneMuteMode, to: EventValue(mode)) }

  /// Switches prepared recording. With true, the session starts or stays with the microphone open, the capture path warm and the voice
  /// silent until somebody sends; the first audio then comes within one cycle, even after the last media is gone. False hands everything
  /// back if no media is registered. A person's mute in mode `restart` still closes the microphone. LiveKit:
  /// `setRecordingAlwaysPreparedMode` (S8).
  /// - Throws: why the session cannot start; nothing has changed then.
  public func setRecordingAlwaysPreparedMode(_ on: Bool) throws(GraphError) {
    try prepareRecording(on)
  }

  /// A Boolean value indicating whether prepared recording is on. Default false.
  public var isRecordingAlwaysPreparedMode: Bool { isOn(.recordingAlwaysPrepared) }

  /// What is mixed into the outgoing microphone. LiveKit: `mixer`.
  public var mixer: MicrophoneMixer { MicrophoneMixer(manager: self) }
}

/// The outgoing microphone's mixer: application audio joins the voice after voice processing and mute, so that it is never cancelled as
/// echo, and not silenced with the person. To silence it, set `appVolume` to 0. The sum is limited, not clipped. [any]
///
/// It is one of the engine's observers (S6). In a session whose chain does not contain it, `capture` returns false, other programs'
/// application audio is refused, and `micVolume` and `appVolume` keep their values without effect: the voice goes out unchanged.
/// `outputVolume`, which concerns the speaker, stays in effect.
public struct MicrophoneMixer: AudioEngineObserver {
  let manager: AudioSessionManager

  /// Plays a buffer of any format into the outgoing microphone, after earlier ones, with or without a microphone. A stream starts after 0.1
  /// s of audio, kept as a reserve against jitter, and follows the program's clock. Returns false, and plays none of it, while the voice
  /// has no consumer, if more than two seconds would wait, or if the mixer is not among the engine observers. LiveKit: `capture(appAudio:)`
  /// (D4).
  @discardableResult
  public func capture(appAudio buffer: AppAudioBuffer) -> Bool { manager.driven?.capture(appAudio: buffer) ?? false }

  /// Linear gain of the processed microphone, 0–1; values outside are clamped. Default 1 (D5). LiveKit: `mixer.micVolume`.
  public var micVolume: Double {
    get { volume(.micVolume) }
    nonmutating set { set(.micVolume, newValue) }
  }
  /// Linear gain of application audio, 0–1; values outside are clamped. Default 1 (D5). LiveKit: `mixer.appVolume`.
  public var appVolume: Double {
    get { volume(.appVolume) }
    nonmutating set { set(.appVolume, newValue) }
  }
  /// Linear gain of everything that nearend plays on the speaker, 0–1; values outside are clamped. Default 1 (D5).
  public var outputVolume: Double {
    get { volume(.outputVolume) }
    nonmutating set { set(.outputVolume, newValue) }
  }
  /// Lowers application audio by 12 dB while somebody talks into the microphone. Default false.
  public var isAppAudioDucked: Bool {
    get { manager.isOn(.appDucking) }
    nonmutating set { manager.set(.appDucking, to: .bool(newValue)) }
  }
  /// Plays application audio on the local speaker, too. Default false.
  public var isAppAudioMonitored: Bool {
    get { manager.isOn(.appMonitor) }
    nonmutating set { manager.set(.appMonitor, to: .bool(newValue)) }
  }

  private func volume(_ setting: Setting) -> Double {
    if case .number(let volume) = manager.value(of: setting) { return volume }
    return 1
  }

  private func set(_ setting: Setting, _ volume: Double) {
    guard !volume.isNaN else { return }
    manager.set(setting, to: .number(min(max(volume, 0), 1)))
  }
}
