/// Decides when playback pauses because headphones are gone, so that private audio does not play into the room (R5). Pure. [any]
///
/// Follows Apple's "Responding to audio route changes". Plugging in, or choosing another speaker, continues without a pause.
package struct UnplugPause: Sendable, Equatable {
  /// The facts at one instant.
  package struct Observation: Sendable, Equatable {
    /// The speaker in use now.
    package var output: RoutePort?
    /// Every port that can be used now.
    package var available: Set<PortId>
    /// The speaker that a person chose; nil if none was chosen.
    package var chosen: String?
    /// Whether anything plays.
    package var isPlaying: Bool
    /// Seconds of a monotonic clock.
    package var time: Double

    package init(output: RoutePort?, available: Set<PortId>, chosen: String? = nil, isPlaying: Bool, time: Double = 0) {
      self.output = output
      self.available = available
      self.chosen = chosen
      self.isPlaying = isPlaying
      self.time = time
    }
  }

  /// Whether unplugging headphones pauses playback; if not, it continues wherever it can (`--no-pause-on-unplug`).
  package var isEnabled: Bool {
    didSet { if !isEnabled { isPaused = false } }
  }
  package private(set) var isPaused = false
  private var last: Observation?
  /// When another headset replaced unplugged headphones. A change right after that is still the session manager's search for a speaker;
  /// taking it for a choice would let a second headset on the desk cause playback in the room.
  private var tookOver: Double?
  /// Headphones that went out of use without anybody's choice while they were still there, and when. If they disappear a moment later they
  /// were unplugged: the session manager's choice and the jack's report arrive separately.
  private var givenUp: [GivenUp] = []
  private struct GivenUp: Equatable {
    var port: PortId
    var time: Double
  }
  /// Seconds within which a session manager settles on a speaker.
  private static let search = 2.0

  package init(isEnabled: Bool = true) { self.isEnabled = isEnabled }

  /// Updates with the route, changed or not.
  package mutating func update(_ new: Observation) {
    let old = last
    last = new
    guard isEnabled, new.isPlaying else {
      isPaused = false
      givenUp = []
      return
    }
    func isThere(_ port: RoutePort) -> Bool { new.available.contains(port.id) }
    let hasPrivate = new.output.map { $0.isPrivate && isThere($0) } ?? false
    let isChosen = old.map { $0.chosen != new.chosen } ?? false
    let before = old?.output.flatMap { $0.isPrivate ? $0 : nil }
    givenUp.removeAll { isChosen || new.time >= $0.time + Self.search }
    let isUnplugged =
      before.map { old?.available.contains($0.id) == true && !isThere($0) } ?? false
      || givenUp.contains { !new.available.contains($0.port) }
    givenUp.removeAll { !new.available.contains($0.port) }
    if let before, !isChosen, before.id != new.output?.id, isThere(before) { givenUp.append(GivenUp(port: before.id, time: new.time)) }
    if hasPrivate || isChosen {
      if isPaused || isUnplugged { tookOver = hasPrivate && !isChosen ? new.time : nil }
      isPaused = false
    } else if isUnplugged {
      isPaused = true
    } else if before != nil, let since = tookOver, new.time < since + Self.search {
      isPaused = true
    }
  }

  /// Resumes: a person wants to hear playback in the room.
  package mutating func resume() {
    isPaused = false
    tookOver = nil
  }
}
