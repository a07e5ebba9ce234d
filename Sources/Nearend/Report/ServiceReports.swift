import Foundation
import PipeWireGraph
import Platform
import SessionModel

/// Reports as text, and programs' reports of their media (T1, T2, T5, K6, K8).
extension NearendService {
  // MARK: Reports of nearend

  /// `getDiagnostics`: describes the complete state of the audio for people (T1). Never waits for the audio thread. [any]
  package func diagnostics() -> String { Diagnostics(report()).text }

  /// `getTelemetryJson`: describes the state for a server (T2); nil if it cannot be encoded. Never waits for the audio thread. [any]
  package func telemetryJSON() -> String? { report().telemetryJSON() }

  /// `GET /metrics`: Prometheus' text format 0.0.4, with content type `ServiceMetrics.contentType`. Never waits for the audio thread. [any]
  package func metrics() -> String { ServiceMetrics(report()).text }

  /// Returns a report. Does not reset the peaks, which belong to the displays.
  func report() -> ServiceReport {
    var report = ServiceReport(snapshot: snapshot(), session: session.current)
    report.outputVolume = Double(core.mixer.masterGain)
    report.cpuSeconds = processorSeconds()
    report.silencedStageSamples = SilencedSamples(
      capture: core.captureStages.silencedSamples, render: core.mixer.stages.silencedSamples)
    report.events = tally.counts
    let telemetry = telemetry.withLock { $0 }
    report.telemetry = telemetry?.status ?? []
    report.telemetryHeldBack = telemetry?.heldBack
    return report
  }

  /// Starts telemetry; called before the first event.
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
    telemetry.read { [weak self] in self?.report() }
  }

  /// Sets what the operator allows to be sent, from the next event on (T3). Returns false if telemetry has no destination. [any]
  @discardableResult
  package func set(telemetryGate gate: TelemetryGate) -> Bool {
    guard let telemetry = telemetry.withLock({ $0 }) else { return false }
    telemetry.set(gate)
    return true
  }

  // MARK: Reports of programs

  /// `updateSsrc`: sets the RTP SSRC of the remote stream that feeds a sink, for diagnostics and telemetry; ignored for an unknown id (K8).
  /// [any]
  package func updateSsrc(mediaId: String, ssrc: UInt32) {
    participants.setSsrc(ssrc, id: mediaId)
  }

  /// `reportSourceAudioActivity`: reports that the registered source has had audio other than silence. Every later event says so as
  /// `sourceHadAudio`, until the source is unregistered. Idempotent; ignored for any other id (T5). [any]
  package func reportSourceAudioActivity(mediaId: String) { session.send(.sourceHadAudio(mediaId: mediaId)) }

  /// `reportSourceResampling`: reports that the registered source converts from `captureRate` to `outputRate` (frames per second,
  /// positive), or, with `isResampling` false, does not. Ignored for any other id (T5). [any]
  package func reportSourceResampling(mediaId: String, captureRate: Int, outputRate: Int, isResampling: Bool) {
    guard !isResampling || (captureRate > 0 && outputRate > 0) else {
      return log.add(.warning, "source \(mediaId) reports resampling from \(captureRate) Hz to \(outputRate) Hz: give positive rates")
    }
    let resampling = isResampling ? SessionState.Resampling(captureRate: captureRate, outputRate: outputRate) : nil
    session.send(.sourceResampling(mediaId: mediaId, resampling))
  }

  /// `notifySinkFrameDrop`: reports the first refused write of a run (`consecutive` frames in this run, `total` since the sink was
  /// registered). Posts `sinkFrameDrop` at most once in 5 minutes per sink, with `totalUnderruns` (K6); ignored for an unknown id. [any]
  package func notifySinkFrameDrop(mediaId: String, consecutive: UInt64, total: UInt64) {
    guard let sink = core.mixer.ringSink(id: mediaId) else { return }
    watch.frameDrop(mediaId: mediaId, consecutive: consecutive, total: total, totalUnderruns: sink.status().totalUnderruns)
  }
}

extension ServiceReport {
  /// Encodes the telemetry document (T2); nil if it cannot be encoded.
  func telemetryJSON() -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(TelemetryDocument(self))).map { String(decoding: $0, as: UTF8.self) }
  }
}
