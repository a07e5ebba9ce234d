import PipeWireGraph
import RealtimeCore
import SessionModel

/// Muting, keeping recording prepared, and what is mixed into the outgoing microphone (D1, D4, D5, S8). [any]
extension AudioSessionManager {
  /// The person at the microphone is silent to everybody who takes the voice; application audio is heard still (D1). Default false.
  public var isMicrophoneMuted: Bool {
    get { isOn(.microphoneMuted) }
    set { set(.microphoneMuted, to: .bool(newValue)) }
  }

  /// How the microphone is muted; changing it while muted mutes it the other way from then on. Default `.voiceProcessing`. LiveKit:
  /// `set(microphoneMuteMode:)`.
  public var microphoneMuteMode: MicrophoneMuteMode {
    if case .string(let word) = value(of: .microphoneMuteMode), let mode = MicrophoneMuteMode(rawValue: word) { return mode }
    return .voiceProcessing
  }

  /// See `microphoneMuteMode`.
  public func set(microphoneMuteMode mode: MicrophoneMuteMode) { set(.microphoneMuteMode, to: .string(mode.rawValue)) }

  /// True: the session starts, or stays, with the microphone open, the capture path warm and the voice silent until somebody sends; the first audio is there
  /// within one cycle, also after the last media has gone. False hands everything back where no media is registered. A person's mute in mode `restart`
  /// closes the microphone all the same. LiveKit: `setRecordingAlwaysPreparedMode` (S8).
  /// - Throws: why the session cannot start; nothing has changed then.
  public func setRecordingAlwaysPreparedMode(_ on: Bool) throws(GraphError) {
    try prepareRecording(on)
  }

  /// As `setRecordingAlwaysPreparedMode` left it. Default false.
  public var isRecordingAlwaysPreparedMode: Bool { isOn(.recordingAlwaysPrepared) }

  /// What is mixed into the outgoing microphone. LiveKit: `mixer`.
  public var mixer: MicrophoneMixer { MicrophoneMixer(manager: self) }
}

/// The outgoing microphone's mixer: application audio joins the voice behind voice processing and mute, so that it is never cancelled as echo, and not silent
/// when the person is. To silence it, set `appVolume` to 0. The sum is limited, not clipped. [any]
public struct MicrophoneMixer: Sendable {
  let manager: AudioSessionManager

  /// Plays a buffer into the outgoing microphone, behind what was captured before, converted from whatever format it has; with the microphone or without one.
  /// A stream begins after 0.1 s, which are kept in hand against jitter, and follows the program's clock. False, and nothing of it heard, while nobody takes
  /// the voice, or where more than two seconds would wait. LiveKit: `capture(appAudio:)` (D4).
  @discardableResult
  public func capture(appAudio buffer: AppAudioBuffer) -> Bool { manager.service?.capture(appAudio: buffer) ?? false }

  /// Linear gain of the processed microphone, 0–1; values outside are clamped. Default 1 (D5).
  public var micVolume: Double {
    get { volume(.micVolume) }
    nonmutating set { set(.micVolume, newValue) }
  }
  /// Linear gain of application audio, 0–1; values outside are clamped. Default 1 (D5).
  public var appVolume: Double {
    get { volume(.appVolume) }
    nonmutating set { set(.appVolume, newValue) }
  }
  /// Linear gain of everything that nearend plays on the speaker, 0–1; values outside are clamped. Default 1 (D5).
  public var outputVolume: Double {
    get { volume(.outputVolume) }
    nonmutating set { set(.outputVolume, newValue) }
  }
  /// Application audio is 12 dB lower while somebody talks into the microphone. Default false.
  public var isAppAudioDucked: Bool {
    get { manager.isOn(.appDucking) }
    nonmutating set { manager.set(.appDucking, to: .bool(newValue)) }
  }
  /// Application audio is heard on the local speaker, too. Default false.
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
