/// An event for programs, operators or telemetry. [any]
public struct AudioEvent: Codable, Sendable, Equatable {
  /// The kind of an event. `rawValue` is its name for observers, `/events` and telemetry.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// The first write of a run that did not fit into a sink's ring (K6).
    case sinkFrameDrop
    /// The first gap of a run in which a sink should have played but had nothing (K5).
    case sinkUnderrun
    /// A write to a sink came more than 60 ms late, and more than 4 times the jitter so far.
    case sinkJitterSpike
    /// The source's consumer did not read its audio in time, and some was lost.
    case sourceOverrun
    /// A cycle of the graph was missed.
    case graphOverrun
    case interruptionBegan
    case interruptionEnded
    /// A different microphone or speaker is in use, by node name.
    case deviceChange
    /// The route changed: a different device, or a different port or use of the same device (R4). `RouteChange` names the keys of its
    /// detail.
    case routeChange
    /// The session runs again after an interruption, or after a call manager activated it (S4).
    case didRecover
    case mediaRegistered
    case mediaUnregistered
    /// The value of a setting changed.
    case settingChanged
    /// Somebody talks into the muted microphone (D2).
    case talkingWhileMuted
  }
  /// The kind of event, which decides the keys of `detail`.
  public var kind: Kind
  /// Seconds since 1970-01-01 00:00 UTC.
  public var time: Double
  /// The media concerned, if any.
  public var mediaId: String?
  /// Details by key; always includes `sourceHadAudio` (T4).
  public var detail: [String: EventValue]
  /// For `routeChange`: reason, route and previous route as values, as in Apple's `AVAudioSessionRouteChangePreviousRouteKey`.
  public var routeChange: RouteChange?

  package init(_ kind: Kind, time: Double, mediaId: String? = nil, detail: [String: EventValue] = [:], routeChange: RouteChange? = nil) {
    self.routeChange = routeChange
    self.kind = kind
    self.time = time
    self.mediaId = mediaId
    self.detail = detail
  }
}
