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

    public init(output: RoutePort?, available: Set<PortId>, chosen: String? = nil, isPlaying: Bool) {
      self.output = output
      self.available = available
      self.chosen = chosen
      self.isPlaying = isPlaying
    }
  }

  /// False: what plays goes on wherever it can (`--no-pause-on-unplug`).
  public var isEnabled: Bool {
    didSet { if !isEnabled { isPaused = false } }
  }
  public private(set) var isPaused = false
  private var last: Look?

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
    if hasPrivate || (old.map { $0.chosen != new.chosen } ?? false) {
      isPaused = false
    } else if let before = old?.output, before.isPrivate, old?.available.contains(before.id) == true, !isThere(before) {
      isPaused = true
    }
  }

  /// A person wants to hear it in the room.
  public mutating func resume() { isPaused = false }
}
