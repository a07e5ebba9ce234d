/// The volumes of a stream as set by its application or a person. [any]
package struct StreamVolumes: Sendable, Equatable {
  /// Linear gains, one per channel.
  package var channels: [Float]
  package var isMuted: Bool

  package init(channels: [Float], isMuted: Bool = false) {
    self.channels = channels
    self.isMuted = isMuted
  }

  /// Returns whether the volumes are the same, possibly reordered or reduced to one for all channels, as happens when the stream's format
  /// changes.
  func isSame(as other: StreamVolumes) -> Bool {
    if channels.count == other.channels.count { return channels.sorted() == other.channels.sorted() }
    return Set(channels).count == 1 && Set(channels) == Set(other.channels)
  }
}

/// The rules for one stream while it is ducked: how its gain moves, and who takes precedence (D3). Pure; times are given, in seconds. [any]
///
/// The volume that the user has set is never written. A gain is applied on top, and ends as soon as somebody sets the volume: they hear
/// what they choose, and the stream is left alone for the rest of the call.
package struct StreamDucking: Sendable, Equatable {
  /// The volumes at which the stream is heard.
  package enum Heard: Sendable, Equatable {
    /// The volumes that the user has set.
    case asSet
    /// The user's volumes, lowered to these.
    case lowered([Float])
  }

  /// Speed of lowering in dB per second, while cycles are short.
  package static let fall = 12.0
  package static let rise = 8.0
  /// Largest step of gain in dB. The gain is constant within a cycle, so long cycles make it move more slowly.
  package static let largestStep = 0.5
  /// Speed of the release in dB per second when nearend leaves: fast, because the user waits for it.
  package static let riseWhenLeaving = 60.0
  /// Seconds, after the stream is first seen in a call, in which its client and the session manager may still be setting it up.
  package static let settlingTime = 1.0

  package private(set) var set: StreamVolumes
  /// The gain applied to the stream, in dB, 0 or less.
  package private(set) var decibels = 0.0
  /// Whether somebody has moved the volume during the call.
  package private(set) var isLeftAlone = false
  private let since: Double

  package init(_ volumes: StreamVolumes, at time: Double) {
    set = volumes
    since = time
  }

  /// Updates with the set volumes, as reported by the daemon.
  package mutating func volumesChanged(_ volumes: StreamVolumes, at time: Double) {
    let isMoved = !volumes.isSame(as: set)
    // Setting volume or mute has ended the gain applied on top.
    if isMoved || volumes.isMuted != set.isMuted { decibels = 0 }
    if isMoved, time >= since + Self.settlingTime { isLeftAlone = true }
    set = volumes
  }

  /// Returns whether the gain still has to move to reach the target.
  package func isMoving(to target: Double) -> Bool { !isLeftAlone && !set.isMuted && decibels != target }

  /// Moves the gain towards `target` dB for `seconds`; returns nil if nothing changes. `cycle` is the length of the graph's cycle in
  /// seconds. `isLeaving` uses the fast release.
  package mutating func step(to target: Double, seconds: Double, cycle: Double = 0, isLeaving: Bool = false) -> Heard? {
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

/// Identifies a ducked stream, so that it can be found again after a restart. [any]
package struct DuckedStream: Codable, Sendable, Equatable {
  /// `object.serial`: unique within one daemon's lifetime.
  package var serial: UInt64
  /// `node.name`, because another daemon restarts serials.
  package var node: String
  /// `application.name`, for people.
  package var application: String

  package init(serial: UInt64, node: String, application: String) {
    self.serial = serial
    self.node = node
    self.application = application
  }
}
