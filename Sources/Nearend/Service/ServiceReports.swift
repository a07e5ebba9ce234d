import Foundation
import PipeWireGraph
import SessionModel

/// What nearend tells of itself as text, and what programs tell it of their media (T1, T2, T5, K6, K8).
extension NearendService {
  // MARK: Told by nearend

  /// `getDiagnostics`: everything that there is to know about the audio now, for people (T1). Never waits for the audio thread. [any]
  public func diagnostics() -> String { Diagnostics(report()).text }

  /// `getTelemetryJson`: the state for a server, in the seed's keys (T2); nil where it cannot be encoded. Never waits for the audio thread. [any]
  public func telemetryJSON() -> String? { report().telemetryJSON() }

  /// `GET /metrics`: Prometheus' text format 0.0.4; its content type is `ServiceMetrics.contentType`. Never waits for the audio thread. [any]
  public func metrics() -> String { ServiceMetrics(report()).text }

  /// Leaves peaks to those who draw them.
  func report() -> ServiceReport {
    var report = ServiceReport(snapshot: snapshot(), session: session.current)
    report.outputVolume = Double(core.mixer.masterGain)
    report.cpuSeconds = ProcessorUse.total
    report.silencedStageSamples = SilencedSamples(
      capture: core.captureStages.silencedSamples, render: core.mixer.stages.silencedSamples)
    report.events = tally.counts
    let telemetry = telemetry.withLock { $0 }
    report.telemetry = telemetry?.status ?? []
    report.telemetryHeldBack = telemetry?.heldBack
    return report
  }

  /// Before the first event.
  func startTelemetry(_ options: TelemetryOptions) throws(GraphError) {
    let telemetry: Telemetry?
    do { telemetry = try Telemetry(options, log: log) } catch { throw .refused(reason: error.description) }
    guard let telemetry else { return }
    self.telemetry.withLock { $0 = telemetry }
    telemetry.listen(to: events) { [session] in
      !session.current.media.isEmpty
    } snapshot: { [weak self] in
      self.map { TelemetryDocument($0.report()) }
    }
  }

  /// What the operator lets be sent, from the next event on (T3). False where telemetry goes nowhere. [any]
  @discardableResult
  public func set(telemetryGate gate: TelemetryGate) -> Bool {
    guard let telemetry = telemetry.withLock({ $0 }) else { return false }
    telemetry.set(gate)
    return true
  }

  // MARK: Told by programs

  /// `updateSsrc`: the RTP SSRC of the remote stream that feeds a sink, for diagnostics and telemetry; an unknown id has no effect (K8). [any]
  public func updateSsrc(mediaId: String, ssrc: UInt32) {
    core.mixer.ringSink(id: mediaId)?.ssrc = ssrc
    core.mixer.graphSink(id: mediaId)?.ssrc = ssrc
  }

  /// `reportSourceAudioActivity`: the registered source has had audio that is not silence. Every event says so from then on, as `sourceHadAudio`, until the
  /// source is unregistered. Doing it again, or for another id, has no effect (T5). [any]
  public func reportSourceAudioActivity(mediaId: String) { session.send(.sourceHadAudio(mediaId: mediaId)) }

  /// `reportSourceResampling`: the registered source converts from `captureRate` to `outputRate` (frames per second, positive), or with `isResampling` false
  /// does not. Another id than the source's has no effect (T5). [any]
  public func reportSourceResampling(mediaId: String, captureRate: Int, outputRate: Int, isResampling: Bool) {
    guard !isResampling || (captureRate > 0 && outputRate > 0) else {
      return log.add(.warning, "source \(mediaId) reports resampling from \(captureRate) Hz to \(outputRate) Hz: give positive rates")
    }
    let resampling = isResampling ? SessionState.Resampling(captureRate: captureRate, outputRate: outputRate) : nil
    session.send(.sourceResampling(mediaId: mediaId, resampling))
  }

  /// `notifySinkFrameDrop`: a write was refused, the first of a run (`consecutive` frames in this run, `total` since the sink was registered). Posts
  /// `sinkFrameDrop` at most once in 5 minutes per sink, with `totalUnderruns` (K6); an unknown id has no effect. [any]
  public func notifySinkFrameDrop(mediaId: String, consecutive: UInt64, total: UInt64) {
    guard let sink = core.mixer.ringSink(id: mediaId) else { return }
    watch.frameDrop(mediaId: mediaId, consecutive: consecutive, total: total, totalUnderruns: sink.status().totalUnderruns)
  }
}

extension ServiceReport {
  /// In the seed's keys (T2); nil where it cannot be encoded.
  func telemetryJSON() -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(TelemetryDocument(self))).map { String(decoding: $0, as: UTF8.self) }
  }
}
