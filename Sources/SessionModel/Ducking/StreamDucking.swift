/// What an application or a person has set of a stream. [any]
public struct StreamVolumes: Sendable, Equatable {
  /// Linear, one for each channel.
  public var channels: [Float]
  public var isMuted: Bool

  public init(channels: [Float], isMuted: Bool = false) {
    self.channels = channels
    self.isMuted = isMuted
  }

  /// The same volumes, though perhaps in another order, or one for all channels: so they come when the stream's format changes.
  func isSame(as other: StreamVolumes) -> Bool {
    if channels.count == other.channels.count { return channels.sorted() == other.channels.sorted() }
    return Set(channels).count == 1 && Set(channels) == Set(other.channels)
  }
}

/// The rules for one stream while it is ducked: how its gain moves, and who has the last word (D3). Given the time, in seconds. [any]
///
/// What the user has set is never written. A gain is laid over it, which ends as soon as somebody sets the volume: what they choose is what they hear, and
/// the stream is let alone for the rest of the call.
public struct StreamDucking: Sendable, Equatable {
  /// What is heard of the stream.
  public enum Heard: Sendable, Equatable {
    /// What the user has set.
    case asSet
    /// That, lowered to these volumes.
    case lowered([Float])
  }

  /// dB per second, where cycles are short.
  public static let fall = 12.0
  public static let rise = 8.0
  /// dB. The gain is the same for a whole cycle: where cycles are long, it moves slower than that.
  public static let largestStep = 0.5
  /// When nearend leaves, whoever waits for it should not wait long.
  public static let riseWhenLeaving = 60.0
  /// Seconds, from when it is first looked at in a call, in which the session manager and its own client may still be setting it up.
  public static let settlingTime = 1.0

  public private(set) var set: StreamVolumes
  /// Of the gain laid over, 0 or less.
  public private(set) var decibels = 0.0
  /// Somebody has moved the volume during the call.
  public private(set) var isLeftAlone = false
  private let since: Double

  public init(_ volumes: StreamVolumes, at time: Double) {
    set = volumes
    since = time
  }

  /// The daemon tells what is set.
  public mutating func told(_ volumes: StreamVolumes, at time: Double) {
    let isMoved = !volumes.isSame(as: set)
    // Whoever sets volume or mute has ended the gain laid over it.
    if isMoved || volumes.isMuted != set.isMuted { decibels = 0 }
    if isMoved, time >= since + Self.settlingTime { isLeftAlone = true }
    set = volumes
  }

  /// Whether it has a way to go to this gain.
  public func isMoving(to target: Double) -> Bool { !isLeftAlone && !set.isMuted && decibels != target }

  /// Goes on towards a gain in dB for some seconds; nil where nothing changes. `cycle`: the graph's, in seconds. `isLeaving`: nobody should wait for it.
  public mutating func step(to target: Double, seconds: Double, cycle: Double = 0, isLeaving: Bool = false) -> Heard? {
    guard isMoving(to: target) else { return nil }
    let isFalling = target < decibels
    var speed = isFalling ? Self.fall : Self.rise
    if cycle > 0 { speed = Swift.min(speed, Self.largestStep / cycle) }
    if isLeaving { speed = Self.riseWhenLeaving }
    decibels = isFalling ? Swift.max(target, decibels - speed * seconds) : Swift.min(target, decibels + speed * seconds)
    return decibels == 0 ? .asSet : .lowered(set.channels.map { $0 * Self.linear(decibels) })
  }

  private static func linear(_ decibels: Double) -> Float { Float(decibelsToLinear(decibels)) }
}

/// Which stream it was, for who must find it again. [any]
public struct DuckedStream: Codable, Sendable, Equatable {
  /// `object.serial`: never used twice by one daemon.
  public var serial: UInt64
  /// `node.name`, because another daemon counts anew.
  public var node: String
  /// `application.name`, for people.
  public var application: String

  public init(serial: UInt64, node: String, application: String) {
    self.serial = serial
    self.node = node
    self.application = application
  }
}
