/// Reports to a program, and a program's reports of its media (T1, T2, T5, K6, K8). [any]
extension AudioSessionManager {
  // MARK: To a program

  /// Describes the complete state of the audio for people, with or without a session. Never waits for the audio thread.
  ///
  /// LiveSwitch: `getDiagnostics` (T1).
  public func getDiagnostics() -> String { owner.diagnostics }

  /// Describes the state for a server, with LiveSwitch's keys; nil if it cannot be encoded. Never waits for the audio thread. LiveSwitch:
  /// `getTelemetryJson` (T2).
  public func getTelemetryJson() -> String? { owner.telemetryJSON }

  // MARK: From a program

  /// Reports a speaker output's first write of a run that did not fit; `writeSpeakerData` does so by itself. Posts `sinkFrameDrop` at most
  /// once in 5 minutes per output, with `totalUnderruns`. Ignored for an unknown id.
  ///
  /// LiveSwitch: `notifySinkFrameDropEventWithMediaId:consecutive:total:` (K6).
  public func notifySinkFrameDrop(mediaId: String, consecutive: UInt64, total: UInt64) {
    owner.noteDrop(id: mediaId, consecutive: consecutive, total: total)
  }

  /// Sets the RTP SSRC of the remote stream that feeds a speaker output, once negotiated. Ignored for an unknown id. LiveSwitch:
  /// `updateSsrcForMediaId:ssrc:` (K8).
  public func updateSsrc(mediaId: String, ssrc: UInt32) { owner.setSSRC(ssrc, ofSink: mediaId) }

  /// Reports that the registered source has had audio other than silence: sets `sourceHadAudio` in every later event, and in telemetry,
  /// until the source is unregistered. Idempotent; ignored for any other id.
  ///
  /// LiveSwitch: `reportSourceAudioActivityWithMediaId:` (T5).
  public func reportSourceAudioActivity(mediaId: String) { owner.reportAudio(ofSource: mediaId) }

  /// Reports that the registered source converts from `captureRate` to `outputRate` (Hz, positive), or, with `isResampling` false, does
  /// not. Report it again when the rates change. Ignored for any other id.
  ///
  /// LiveSwitch: `reportSourceResamplingWithMediaId:captureRate:outputRate:isResampling:` (T5).
  public func reportSourceResampling(mediaId: String, captureRate: Int, outputRate: Int, isResampling: Bool) {
    owner.reportResampling(ofSource: mediaId, captureRate: captureRate, outputRate: outputRate, isResampling: isResampling)
  }
}
