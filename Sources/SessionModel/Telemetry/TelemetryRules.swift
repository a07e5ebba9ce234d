/// Decides which events are telemetry, and when a snapshot is due (T3). Pure. [any]
///
/// A call is up while any media is registered. Outside a call nothing is sent, except the end of an interruption that began in one.
package struct TelemetryRules: Sendable {
  package struct Decision: Sendable, Equatable {
    package var sendsEvent = false
    package var snapshot: TelemetryRecord.Occasion?

    package init(sendsEvent: Bool = false, snapshot: TelemetryRecord.Occasion? = nil) {
      self.sendsEvent = sendsEvent
      self.snapshot = snapshot
    }
  }

  private var isCallUp = false
  private var openInterruptions = 0

  package init() {}

  /// Decides about an event of this kind; `hasMedia` says whether any media is registered after it.
  package mutating func decide(_ kind: AudioEvent.Kind, hasMedia: Bool) -> Decision {
    let starts = hasMedia && !isCallUp
    isCallUp = hasMedia
    var decision = Decision(sendsEvent: hasMedia && Self.harmsSound(kind), snapshot: starts ? .callStart : nil)
    switch kind {
    case .interruptionBegan where hasMedia: openInterruptions += 1
    case .interruptionEnded:
      decision.sendsEvent = openInterruptions > 0
      openInterruptions = max(0, openInterruptions - 1)
    case .routeChange where hasMedia && !starts: decision.snapshot = .routeChange
    default: break
    }
    return decision
  }

  /// The guide's list: underruns, jitter spikes, overruns, interruptions and device changes; and frame drops.
  private static func harmsSound(_ kind: AudioEvent.Kind) -> Bool {
    switch kind {
    case .sinkFrameDrop, .sinkUnderrun, .sinkJitterSpike, .sourceOverrun, .graphOverrun, .interruptionBegan, .interruptionEnded,
      .deviceChange, .routeChange:
      true
    case .didRecover, .mediaRegistered, .mediaUnregistered, .settingChanged, .talkingWhileMuted: false
    }
  }
}
