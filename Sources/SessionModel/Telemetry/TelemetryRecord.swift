/// One line of telemetry: an `asmEvent` or an `asmSnapshot` (T3). [any]
package struct TelemetryRecord: Codable, Sendable, Equatable {
  /// Why a snapshot was taken.
  package enum Occasion: String, Codable, Sendable { case callStart, routeChange }

  package var type: TelemetryType
  /// Seconds since 1970-01-01 00:00 UTC.
  package var time: Double
  /// nearend's version.
  package var version: String
  /// `asmEvent`: the event's name.
  package var event: AudioEvent.Kind?
  /// `asmEvent`: the media concerned, if any.
  package var mediaId: String?
  /// `asmEvent`
  package var detail: [String: EventValue]?
  /// `asmSnapshot`
  package var occasion: Occasion?
  /// `asmSnapshot`
  package var snapshot: TelemetryDocument?

  package init(_ event: AudioEvent, version: String) {
    type = .asmEvent
    time = event.time
    self.version = version
    self.event = event.kind
    mediaId = event.mediaId
    detail = event.detail
  }

  package init(_ snapshot: TelemetryDocument, occasion: Occasion, time: Double, version: String) {
    type = .asmSnapshot
    self.time = time
    self.version = version
    self.occasion = occasion
    self.snapshot = snapshot
  }
}
