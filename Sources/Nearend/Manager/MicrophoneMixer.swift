import RealtimeCore
import SessionModel

/// The outgoing microphone's mixer: application audio joins the voice after voice processing and mute, so that it is never cancelled as
/// echo, and not silenced with the person. To silence it, set `appVolume` to 0. The sum is limited, not clipped. [any]
///
/// It is one of the engine's observers (S6). In a session whose chain does not contain it, `capture` returns false, other programs'
/// application audio is refused, and `micVolume` and `appVolume` keep their values without effect: the voice goes out unchanged.
/// `outputVolume`, which concerns the speaker, stays in effect.
public struct MicrophoneMixer: AudioEngineObserver {
  let owner: SessionOwner

  /// Plays a buffer of any format into the outgoing microphone, after earlier ones, with or without a microphone. A stream starts after 0.1
  /// s of audio, kept as a reserve against jitter, and follows the program's clock. Returns false, and plays none of it, while the voice
  /// has no consumer, if more than two seconds would wait, or if the mixer is not among the engine observers. LiveKit: `capture(appAudio:)`
  /// (D4).
  @discardableResult
  public func capture(appAudio buffer: AppAudioBuffer) -> Bool { owner.capture(buffer) == nil }

  /// Linear gain of the processed microphone, 0–1; values outside are clamped. Default 1 (D5). LiveKit: `mixer.micVolume`.
  public var micVolume: Double {
    get { owner[gain: .micVolume] }
    nonmutating set { owner[gain: .micVolume] = newValue }
  }
  /// Linear gain of application audio, 0–1; values outside are clamped. Default 1 (D5). LiveKit: `mixer.appVolume`.
  public var appVolume: Double {
    get { owner[gain: .appVolume] }
    nonmutating set { owner[gain: .appVolume] = newValue }
  }
  /// Linear gain of everything that nearend plays on the speaker, 0–1; values outside are clamped. Default 1 (D5).
  public var outputVolume: Double {
    get { owner[gain: .outputVolume] }
    nonmutating set { owner[gain: .outputVolume] = newValue }
  }
  /// Lowers application audio by 12 dB while somebody talks into the microphone. Default false.
  public var isAppAudioDucked: Bool {
    get { owner[isOn: .appDucking] }
    nonmutating set { owner[isOn: .appDucking] = newValue }
  }
  /// Plays application audio on the local speaker, too. Default false.
  public var isAppAudioMonitored: Bool {
    get { owner[isOn: .appMonitor] }
    nonmutating set { owner[isOn: .appMonitor] = newValue }
  }
}
