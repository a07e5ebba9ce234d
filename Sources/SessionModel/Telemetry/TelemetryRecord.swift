/// One line of telemetry: an `asmEvent` or an `asmSnapshot` (T3). [any]
public struct TelemetryRecord: Codable, Sendable, Equatable {
  /// Why a snapshot was taken.
  public enum Occasion: String, Codable, Sendable { case callStart, routeChange }

  public var type: TelemetryType
  /// Seconds since 1970-01-01 00:00 UTC.
  public var time: Double
  /// nearend's version.
  public var version: String
  /// `asmEvent`: the event's name.
  public var event: AudioEvent.Kind?
  /// `asmEvent`: the media concerned, if any.
  public var mediaId: String?
  /// `asmEvent`
  public var detail: [String: EventValue]?
  /// `asmSnapshot`
  public var occasion: Occasion?
  /// `asmSnapshot`
  public var snapshot: TelemetryDocument?

  public init(_ event: AudioEvent, version: String) {
    type = .asmEvent
    time = event.time
    self.version = version
    self.event = event.kind
    mediaId = event.mediaId
    detail = event.detail
  }

  public init(_ snapshot: TelemetryDocument, occasion: Occasion, time: Double, version: String) {
    type = .asmSnapshot
    self.time = time
    self.version = version
    self.occasion = occasion
    self.snapshot = snapshot
  }
}
