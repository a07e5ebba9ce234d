/// What `getTelemetryJson()` says: the state of the session for a server, in the seed's keys, spelled as there (T2). [any]
///
/// A key whose value is nil is not there.
public struct TelemetryDocument: Codable, Sendable, Equatable {
  public var useVoiceProcessingIO: Bool
  public var bypassVoiceProcessing: Bool
  public var voiceProcessingEnableAGC: Bool
  /// Channels of the mix; what a source is given may have others.
  public var channelCount: Int
  public var isSessionActive: Bool
  public var hasMicSource: Bool
  public var sinkCount: Int
  public var totalRegisteredMedia: Int
  public var manualAudioSessionManagement: Bool
  /// The registered source has had audio that is not silence since it was registered (T5).
  public var sourceHadAudio: Bool
  public var sourceResamplingActive: Bool
  /// Only while `sourceResamplingActive`.
  public var sourceCaptureRateHz: Int?
  /// Only while `sourceResamplingActive`.
  public var sourceOutputRateHz: Int?
  /// SSRC by media id, of the sinks that have been told one (K8).
  public var asmSsrcMap: [String: UInt32]
  /// The whole of `getDiagnostics()`.
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
