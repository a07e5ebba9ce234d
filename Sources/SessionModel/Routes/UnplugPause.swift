/// Headphones gone: what played for one person's ears is not played into the room (R5). Pure. [any]
///
/// Seed: "Responding to audio route changes". Plugging in goes on without a pause; so does a person's choice of another speaker.
public struct UnplugPause: Sendable, Equatable {
  /// What a look finds.
  public struct Look: Sendable, Equatable {
    /// The speaker in use now.
    public var output: RoutePort?
    /// Every port that could be used now.
    public var available: Set<PortId>
    /// The speaker that a person chose; nil where nobody did.
    public var chosen: String?
    /// Whether somebody plays.
    public var isPlaying: Bool
    /// Seconds of a clock that never goes back.
    public var time: Double

    public init(output: RoutePort?, available: Set<PortId>, chosen: String? = nil, isPlaying: Bool, time: Double = 0) {
      self.output = output
      self.available = available
      self.chosen = chosen
      self.isPlaying = isPlaying
      self.time = time
    }
  }

  /// False: what plays goes on wherever it can (`--no-pause-on-unplug`).
  public var isEnabled: Bool {
    didSet { if !isEnabled { isPaused = false } }
  }
  public private(set) var isPaused = false
  private var last: Look?
  /// When another headset took over from headphones that were unplugged. What comes right after it is still the session manager's search for a
  /// speaker: were it believed, a second headset on the desk would let the room hear everything.
  private var tookOver: Double?
  /// Headphones that were left while they seemed to be plugged in: the session manager's new choice may come before the news of the plug.
  private var left: Left?
  private struct Left: Sendable, Equatable {
    var port: PortId
    var time: Double
  }
  /// Seconds in which a session manager has found its speaker.
  private static let search = 2.0

  public init(isEnabled: Bool = true) { self.isEnabled = isEnabled }

  /// The route, whether it has changed or not.
  public mutating func look(_ new: Look) {
    let old = last
    last = new
    guard isEnabled, new.isPlaying else {
      isPaused = false
      return
    }
    func isThere(_ port: RoutePort) -> Bool { new.available.contains(port.id) }
    let hasPrivate = new.output.map { $0.isPrivate && isThere($0) } ?? false
    let isChosen = old.map { $0.chosen != new.chosen } ?? false
    let before = old?.output.flatMap { $0.isPrivate ? $0 : nil }
    let wasLeft = left.map { new.time < $0.time + Self.search && !new.available.contains($0.port) } ?? false
    let isUnplugged = wasLeft || (before.map { old?.available.contains($0.id) == true && !isThere($0) } ?? false)
    if isChosen || wasLeft {
      left = nil
    } else if let before, before.id != new.output?.id, isThere(before) {
      left = Left(port: before.id, time: new.time)
    }
    if hasPrivate || isChosen {
      if isPaused || isUnplugged { tookOver = hasPrivate && !isChosen ? new.time : nil }
      isPaused = false
    } else if isUnplugged {
      isPaused = true
    } else if before != nil, let since = tookOver, new.time < since + Self.search {
      isPaused = true
    }
  }

  /// A person wants to hear it in the room.
  public mutating func resume() {
    isPaused = false
    tookOver = nil
    left = nil
  }
}
