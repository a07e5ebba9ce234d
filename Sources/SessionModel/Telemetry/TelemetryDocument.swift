/// The content of `getTelemetryJson()`: the state of the session for a server, with LiveSwitch's keys (T2). [any]
///
/// Keys whose value is nil are omitted.
public struct TelemetryDocument: Codable, Sendable, Equatable {
  public var useVoiceProcessingIO: Bool
  public var bypassVoiceProcessing: Bool
  public var voiceProcessingEnableAGC: Bool
  /// Channels of the mix; those of the source may differ.
  public var channelCount: Int
  public var isSessionActive: Bool
  public var hasMicSource: Bool
  public var sinkCount: Int
  public var totalRegisteredMedia: Int
  public var manualAudioSessionManagement: Bool
  /// A Boolean value indicating whether the registered source has had audio other than silence (T5).
  public var sourceHadAudio: Bool
  public var sourceResamplingActive: Bool
  /// Present only while `sourceResamplingActive`.
  public var sourceCaptureRateHz: Int?
  /// Present only while `sourceResamplingActive`.
  public var sourceOutputRateHz: Int?
  /// SSRC by media id, for the sinks with a known one (K8).
  public var asmSsrcMap: [String: UInt32]
  /// The whole text of `getDiagnostics()`.
  public var diagnostics: String

  public init(_ report: ServiceReport) {
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
    let resampling = session.source?.resampling
    sourceResamplingActive = resampling != nil
    sourceCaptureRateHz = resampling?.captureRate
    sourceOutputRateHz = resampling?.outputRate
    asmSsrcMap = Dictionary(snapshot.sinks.compactMap { sink in sink.ssrc.map { (sink.id, $0) } }) { first, _ in first }
    diagnostics = Diagnostics(report).text
  }
}
