/// The data for diagnostics, telemetry and metrics, at one instant. [any]
package struct ServiceReport: Sendable {
  package var snapshot: Snapshot
  package var session: SessionState
  /// Linear gain of the whole mix, 0–1 (D5).
  package var outputVolume = 1.0
  /// Processor time that the process has used, in seconds.
  package var cpuSeconds = 0.0
  /// Events posted since the start.
  package var events = EventCounts()
  /// NaN and infinite samples from the program's own stages, by chain.
  package var silencedStageSamples = SilencedSamples()
  /// Why the operator's gate lets nothing through; nil unless everything is blocked (T3).
  package var telemetryHeldBack: String?
  /// The nearend that this program has joined; nil if the session is its own.
  package var host: String?
  /// Destinations of telemetry; empty if it is off.
  package var telemetry: [TelemetryOutletStatus] = []

  package init(snapshot: Snapshot, session: SessionState) {
    self.snapshot = snapshot
    self.session = session
  }

  /// The conversion between the microphone and the registered source (T5): what the program reports, or else from the rate of the
  /// microphone's own hardware, 16000 Hz for a headset's call profile, to the rate that the source receives; nil if there is none.
  package var sourceResampling: SessionState.Resampling? {
    guard let source = session.source else { return nil }
    if source.hasReportedResampling { return source.resampling }
    guard let status = snapshot.source else { return nil }
    let capture = snapshot.route.current.inputs.first?.rate ?? status.captureRate
    guard capture > 0, status.outputRate > 0, capture != status.outputRate else { return nil }
    return SessionState.Resampling(captureRate: capture, outputRate: status.outputRate)
  }
}

/// Counts of NaN and infinite samples that were replaced by silence since the session began; any count but 0 means a broken stage (S6).
/// [any]
package struct SilencedSamples: Sendable, Equatable {
  /// From the capture stages.
  package var capture: UInt64
  /// From the render stages.
  package var render: UInt64

  package init(capture: UInt64 = 0, render: UInt64 = 0) {
    self.capture = capture
    self.render = render
  }
}

/// How many events were posted since start. [any]
package struct EventCounts: Sendable, Equatable {
  package private(set) var kinds: [AudioEvent.Kind: Int] = [:]
  /// Counts by the name of the reason.
  package private(set) var interruptions: [String: Int] = [:]
  /// Total seconds of ended interruptions, by the name of the reason.
  package private(set) var interruptionSeconds: [String: Double] = [:]

  package init() {}

  package mutating func count(_ event: AudioEvent) {
    kinds[event.kind, default: 0] += 1
    guard case .string(let reason)? = event.detail["reason"] else { return }
    if event.kind == .interruptionBegan { interruptions[reason, default: 0] += 1 }
    if event.kind == .interruptionEnded, case .number(let seconds)? = event.detail["duration"] {
      interruptionSeconds[reason, default: 0] += seconds
    }
  }
}

/// A file or a server that receives telemetry. [any]
package struct TelemetryOutletStatus: Sendable, Equatable {
  /// "file" or "http".
  package var name: String
  /// Records waiting to be sent.
  package var queued: Int
  package var delivered: Int
  /// Records lost: the oldest when the queue was full, and those that the server rejected for good.
  package var dropped: Int
  /// Why the last attempt failed; nil if it succeeded.
  package var failure: String?

  package init(name: String, queued: Int = 0, delivered: Int = 0, dropped: Int = 0, failure: String? = nil) {
    self.name = name
    self.queued = queued
    self.delivered = delivered
    self.dropped = dropped
    self.failure = failure
  }
}
