/// Everything that diagnostics, telemetry and metrics are written from, at one instant. [any]
public struct ServiceReport: Sendable {
  public var snapshot: Snapshot
  public var session: SessionState
  /// Linear gain of the whole mix, 0–1 (D5).
  public var outputVolume = 1.0
  /// Seconds of processor time that the process has used.
  public var cpuSeconds = 0.0
  /// What was posted since start.
  public var events = EventCounts()
  /// Samples that a program's own stages put out and that were no numbers, by chain.
  public var silencedStageSamples = SilencedSamples()
  /// Why the operator's gate lets nothing through; nil where it lets something (T3).
  public var telemetryHeldBack: String?
  /// Where telemetry goes; empty where it is off.
  public var telemetry: [TelemetryOutletStatus] = []

  public init(snapshot: Snapshot, session: SessionState) {
    self.snapshot = snapshot
    self.session = session
  }
}

/// Samples that were no numbers, and silent instead, since the session began; 0, or a stage is broken (S6). [any]
public struct SilencedSamples: Sendable, Equatable {
  /// In the capture stages.
  public var capture: UInt64
  /// In the render stages.
  public var render: UInt64

  public init(capture: UInt64 = 0, render: UInt64 = 0) {
    self.capture = capture
    self.render = render
  }
}

/// How many events were posted since start. [any]
public struct EventCounts: Sendable, Equatable {
  public private(set) var kinds: [AudioEvent.Kind: Int] = [:]
  /// By the reason's name.
  public private(set) var interruptions: [String: Int] = [:]
  /// Seconds of those that are over, by the reason's name.
  public private(set) var interruptionSeconds: [String: Double] = [:]

  public init() {}

  public mutating func count(_ event: AudioEvent) {
    kinds[event.kind, default: 0] += 1
    guard case .string(let reason)? = event.detail["reason"] else { return }
    if event.kind == .interruptionBegan { interruptions[reason, default: 0] += 1 }
    if event.kind == .interruptionEnded, case .number(let seconds)? = event.detail["duration"] {
      interruptionSeconds[reason, default: 0] += seconds
    }
  }
}

/// A file or a server that telemetry goes to. [any]
public struct TelemetryOutletStatus: Sendable, Equatable {
  /// "file" or "http".
  public var name: String
  /// Records that wait.
  public var queued: Int
  public var delivered: Int
  /// Records lost: the oldest, where more waited than there is room for, and those that a server would never take.
  public var dropped: Int
  /// Why the last attempt failed; nil where it did not.
  public var failure: String?

  public init(name: String, queued: Int = 0, delivered: Int = 0, dropped: Int = 0, failure: String? = nil) {
    self.name = name
    self.queued = queued
    self.delivered = delivered
    self.dropped = dropped
    self.failure = failure
  }
}
