/// Something that a program, an operator or the telemetry should hear of. [any]
public struct AudioEvent: Codable, Sendable, Equatable {
  /// `rawValue` is the event's name, as observers, `/events` and telemetry spell it.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// A write did not fit into a sink's ring, for the first time of a run (K6).
    case sinkFrameDrop
    /// A sink should play and had nothing, for the first time of a run (K5).
    case sinkUnderrun
    /// A sink's write came much later than it was due: by more than 60 ms, and by more than 4 times the jitter so far.
    case sinkJitterSpike
    /// The source's consumer did not take its audio in time, and some of it was lost.
    case sourceOverrun
    /// A cycle of the graph was missed.
    case graphOverrun
    case interruptionBegan
    case interruptionEnded
    /// Another microphone or speaker is in use, by node name.
    case deviceChange
    /// The route leads elsewhere: another device, or another port or use of the same (R4). `RouteChange` names the detail's keys.
    case routeChange
    /// The session runs again after an interruption, or after a call manager activated it (S4).
    case didRecover
    case mediaRegistered
    case mediaUnregistered
    /// A setting has another value.
    case settingChanged
    /// Somebody talks into the muted microphone (D2).
    case talkingWhileMuted
  }
  public var kind: Kind
  /// Seconds since 1970-01-01 00:00 UTC.
  public var time: Double
  /// The media that it is about, where it is about one.
  public var mediaId: String?
  /// What there is to say, by the seeds' keys where they have one; `sourceHadAudio` is always there (T4).
  public var detail: [String: EventValue]
  /// `routeChange`: the reason, the route and the one before it, as values. Seed: the notification's `AVAudioSessionRouteChangePreviousRouteKey`.
  public var routeChange: RouteChange?

  public init(_ kind: Kind, time: Double, mediaId: String? = nil, detail: [String: EventValue] = [:], routeChange: RouteChange? = nil) {
    self.routeChange = routeChange
    self.kind = kind
    self.time = time
    self.mediaId = mediaId
    self.detail = detail
  }
}

/// One value of an event's detail: a JSON scalar. [any]
public enum EventValue: Codable, Sendable, Equatable {
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    }
  }
}

extension EventValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(stringLiteral value: String) { self = .string(value) }
}

extension EventValue: CustomStringConvertible {
  /// As people write it.
  public var description: String {
    switch self {
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let value): value
    }
  }
}
