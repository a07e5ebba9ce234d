import RealtimeCore
import SessionModel

/// What is reported to a program, and what a program reports of its media (T1, T2, T5, K6, K8). [any]
extension AudioSessionManager {
  // MARK: To a program

  /// Everything that there is to know about the audio now, for people, with a session and without. Never waits for the audio thread.
  ///
  /// Seed: `getDiagnostics` (T1).
  public func getDiagnostics() -> String { service?.diagnostics() ?? Diagnostics(reportAtRest()).text }

  /// The state for a server, in the seed's keys; nil where it cannot be encoded. Never waits for the audio thread. Seed: `getTelemetryJson`
  /// (T2).
  public func getTelemetryJson() -> String? {
    if let service { return service.telemetryJSON() }
    return reportAtRest().telemetryJSON()
  }

  // MARK: From a program

  /// A speaker output's first write of a run that found no room; `writeSpeakerData` reports it by itself. Posts `sinkFrameDrop` at most
  /// once in 5 minutes per output, with `totalUnderruns`. Unknown id: no effect.
  ///
  /// Seed: `notifySinkFrameDropEventWithMediaId:consecutive:total:` (K6).
  public func notifySinkFrameDrop(mediaId: String, consecutive: UInt64, total: UInt64) {
    service?.notifySinkFrameDrop(mediaId: mediaId, consecutive: consecutive, total: total)
  }

  /// The RTP SSRC of the remote stream that feeds a speaker output, known once it is negotiated. Unknown id: no effect. Seed:
  /// `updateSsrcForMediaId:ssrc:` (K8).
  public func updateSsrc(mediaId: String, ssrc: UInt32) { service?.updateSsrc(mediaId: mediaId, ssrc: ssrc) }

  /// The registered source has had audio that is not silence: `sourceHadAudio` in every event from then on, and in telemetry, until it is
  /// unregistered. Doing it again, or for another id, has no effect.
  ///
  /// Seed: `reportSourceAudioActivityWithMediaId:` (T5).
  public func reportSourceAudioActivity(mediaId: String) { service?.reportSourceAudioActivity(mediaId: mediaId) }

  /// The registered source converts from `captureRate` to `outputRate` (Hz, positive), or with `isResampling` false does not; to be told
  /// again when the rates change. Another id than the source's has no effect.
  ///
  /// Seed: `reportSourceResamplingWithMediaId:captureRate:outputRate:isResampling:` (T5).
  public func reportSourceResampling(mediaId: String, captureRate: Int, outputRate: Int, isResampling: Bool) {
    service?.reportSourceResampling(mediaId: mediaId, captureRate: captureRate, outputRate: outputRate, isResampling: isResampling)
  }

  // MARK: Without a session

  private func reportAtRest() -> ServiceReport {
    let session = self.session
    let controls = CaptureControls()
    controls.usesVoiceProcessing = session.settings.usesVoiceProcessing
    controls.isBypassed = bypassVoiceProcessing
    controls.isGainControlEnabled = voiceProcessingEnableAGC
    controls.isNoiseSuppressionEnabled = isNoiseSuppressionEnabled
    controls.engine = current.withLock { VoiceEngine(kept: $0.settings[.echoCanceller]) }
    controls.isEchoCancellationEnabled = isEchoCancellationEnabled
    controls.isHighPassFilterEnabled = isHighPassFilterEnabled
    var snapshot = Snapshot(version: nearendVersion)
    snapshot.session = SessionStatus(session, interruption: nil, isMicrophoneMuted: isMicrophoneMuted)
    snapshot.processing = ProcessingStatus(
      controls: controls, meters: CaptureMeters().snapshot(), render: (0, 1), isSending: false, streamDelay: 0)
    snapshot.log = log.all
    return ServiceReport(snapshot: snapshot, session: session)
  }
}
