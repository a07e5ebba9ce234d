import PipeWireGraph
import RealtimeCore
import SessionModel

/// What goes out with the voice, and a microphone that is kept ready. [any]
extension AudioSession {
  /// Plays a program's audio into the outgoing microphone, after earlier buffers, with or without a microphone. Never blocks.
  ///
  /// It joins the voice after voice processing and mute: it is never cancelled as echo, and heard while the person is muted. A stream
  /// starts after 0.1 s of audio, kept as a reserve against jitter, and follows the program's clock.
  /// - Parameter audio: a buffer of any rate, sample type and number of channels.
  /// - Throws: `MicrophonePlayError`; none of the buffer is played then.
  public func playIntoMicrophone(_ audio: AppAudioBuffer) throws(MicrophonePlayError) {
    if let error = owner.capture(audio) { throw error }
  }

  /// Linear gain of application audio in the voice, 0–1; values outside are clamped. Default 1.
  public var appAudioVolume: Double {
    get { owner[gain: .appVolume] }
    set { owner[gain: .appVolume] = newValue }
  }

  /// A Boolean value indicating whether application audio is lowered by 12 dB while somebody talks into the microphone. Default false.
  public var isAppAudioDucked: Bool {
    get { owner[isOn: .appDucking] }
    set { owner[isOn: .appDucking] = newValue }
  }

  /// A Boolean value indicating whether application audio is also played on the speaker. Default false.
  public var isAppAudioMonitored: Bool {
    get { owner[isOn: .appMonitor] }
    set { owner[isOn: .appMonitor] = newValue }
  }

  // MARK: Prepared recording

  /// A Boolean value indicating whether the microphone is kept open and processed without a call that sends, so that the first audio of the
  /// next one comes within a cycle. Default false.
  public var isRecordingPrepared: Bool { owner[isOn: .recordingAlwaysPrepared] }

  /// Prepares recording, which starts the session if there is none, or ends that, which ends the session without a call. Blocks until the
  /// daemon has answered.
  /// - Parameter on: whether recording is prepared.
  /// - Throws: why the session cannot start; nothing has changed then.
  public func setRecordingPrepared(_ on: Bool) throws(GraphError) { try performSynchronously { prepared(on) }.get() }

  /// Prepares recording, or ends that, without blocking a thread.
  /// - Parameter on: whether recording is prepared.
  /// - Throws: why the session cannot start; nothing has changed then.
  public func setRecordingPrepared(_ on: Bool) async throws(GraphError) { try await perform { [self] in prepared(on) }.get() }

  private func prepared(_ on: Bool) -> Result<Void, GraphError> {
    Result { () throws(GraphError) in try owner.prepareRecording(on) }
  }
}
