/// The content of `getTelemetryJson()`: the state of the session for a server (T2). [any]
///
/// Keys whose value is nil are omitted.
package struct TelemetryDocument: Codable, Sendable, Equatable {
  package var useVoiceProcessingIO: Bool
  package var bypassVoiceProcessing: Bool
  package var voiceProcessingEnableAGC: Bool
  /// Channels of the mix; those of the source may differ.
  package var channelCount: Int
  package var isSessionActive: Bool
  package var hasMicSource: Bool
  package var sinkCount: Int
  package var totalRegisteredMedia: Int
  package var manualAudioSessionManagement: Bool
  /// Whether the registered source has had audio other than silence (T5).
  package var sourceHadAudio: Bool
  /// Whether the microphone's own rate differs from the one that the source receives.
  package var sourceResamplingActive: Bool
  /// Present only while `sourceResamplingActive`.
  package var sourceCaptureRateHz: Int?
  /// Present only while `sourceResamplingActive`.
  package var sourceOutputRateHz: Int?
  /// SSRC by media id, for the sinks with a known one (K8).
  package var asmSsrcMap: [String: UInt32]
  /// The streams received over the network, by media id; nil if no participant is on another machine (K12).
  package var remotes: [String: RemoteStatus]?
  /// The complete text of `getDiagnostics()`.
  package var diagnostics: String

  package init(_ report: ServiceReport) {
    let (snapshot, session) = (report.snapshot, report.session)
    useVoiceProcessingIO = session.settings.usesVoiceProcessing
    bypassVoiceProcessing = snapshot.processing.isBypassed
    voiceProcessingEnableAGC = snapshot.processing.components.contains { $0.component == .gainControl && $0.isRequested }
    channelCount = session.settings.renderChannelCount
    isSessionActive = session.isActive
    hasMicSource = session.source != nil
    sinkCount = snapshot.sinks.count
    totalRegisteredMedia = session.media.count
    manualAudioSessionManagement = session.settings.isManual
    sourceHadAudio = session.source?.hadAudio ?? false
    let resampling = report.sourceResampling
    sourceResamplingActive = resampling != nil
    sourceCaptureRateHz = resampling?.captureRate
    sourceOutputRateHz = resampling?.outputRate
    asmSsrcMap = Dictionary(snapshot.sinks.compactMap { sink in sink.ssrc.map { (sink.id, $0) } }) { first, _ in first }
    let remote = Dictionary(snapshot.sinks.compactMap { sink in sink.remote.map { (sink.id, $0) } }) { first, _ in first }
    remotes = remote.isEmpty ? nil : remote
    diagnostics = Diagnostics(report).text
  }
}
