import SessionModel

/// Derives events from differences between the graph and what the session heard last.
struct GraphNews {
  private(set) var users = ClientWatch.Users()
  private var interrupter: String?
  /// The devices last told to people.
  private var ends = RouteEnds()
  private var isWithoutDevice = false
  /// The programs that play nearend's sound back into nearend, by name.
  private(set) var loops: [String] = []
  private(set) var volumes = VolumesStatus()

  /// Forgets the applications silently: they have gone with the daemon.
  mutating func forgetUsers() { users = ClientWatch.Users() }

  /// Updates with the applications that use nearend now, changed or not.
  mutating func update(_ new: ClientWatch.Users) -> [GraphEvent] {
    let old = users
    users = new
    func remarks(_ names: [String], without others: [String], _ text: String) -> [GraphEvent] {
      names.filter { !others.contains($0) }.map { .remark(.info, "\($0) \(text)") }
    }
    return remarks(new.send, without: old.send, "records from Nearend Microphone")
      + remarks(old.send, without: new.send, "no longer records")
      + remarks(new.receive, without: old.receive, "plays through nearend")
      + remarks(old.receive, without: new.receive, "no longer plays")
      + [.session(.applications(new.all))]
  }

  /// Updates with the stream that has priority over a call. Replacing one by another is not reported.
  mutating func update(interrupter new: String?) -> [GraphEvent] {
    let old = interrupter
    interrupter = new
    guard (old == nil) != (new == nil) else { return [] }
    return (new.map { [.remark(.warning, "interrupted: \($0) has priority over a call")] } ?? []) + [.interruption(.role, new != nil)]
  }

  /// Updates with the devices in use, changed or not.
  /// - Parameter isSettling: whether devices are still appearing, because the daemon has just returned: that one is missing is no news yet.
  mutating func update(_ new: RouteEnds, isSettling: Bool) -> [GraphEvent] {
    let old = ends
    ends = new
    if isSettling { (ends.microphone, ends.speaker) = (new.microphone ?? old.microphone, new.speaker ?? old.speaker) }
    func remark(_ end: String, _ old: String?, _ new: String?) -> [GraphEvent] {
      old == new ? [] : [.remark(.info, "\(end): \(new ?? "none")")]
    }
    return remark("microphone", old.microphone, ends.microphone) + remark("speaker", old.speaker, ends.speaker) + [.route(new)]
  }

  /// Updates with whether no usable device remains.
  mutating func update(isWithoutDevice new: Bool) -> [GraphEvent] {
    guard new != isWithoutDevice else { return [] }
    isWithoutDevice = new
    return [
      new ? .remark(.warning, "no real device to play to or record from") : .remark(.info, "a device is available again"),
      .interruption(.noDevice, new),
    ]
  }

  /// Updates with the loops of the graph.
  mutating func update(_ new: [GraphLoop], in objects: GraphObjects) -> [GraphEvent] {
    func name(_ node: UInt32) -> String { objects.node(id: node)?.nodeName ?? "node \(node)" }
    func source(_ loop: GraphLoop) -> String {
      loop.source == objects.own.microphone ? "Nearend Microphone" : "the monitor of \(name(loop.source))"
    }
    let old = loops
    loops = new.map { name($0.stream) }.sorted()
    return new.filter { !old.contains(name($0.stream)) }.map {
      .remark(
        .warning,
        "\(name($0.stream)) plays \(source($0)) back into \(name($0.sink)), which would stop all sound: "
          + "\(name($0.sink)) is cut off while it does")
    }
      + old.filter { !loops.contains($0) }.map { .remark(.info, "\($0) no longer plays back into nearend") }
  }

  /// Updates with volumes and mutes; reports mutes that were not set in nearend, and volumes that are too low for a call, or no longer.
  mutating func update(_ new: VolumesStatus) -> [GraphEvent] {
    let old = volumes
    volumes = new
    return zip(new.ends, old.ends).compactMap { end, former in
      if end.status.isMuted != former.status.isMuted {
        return .remark(.info, "\(end.name) is \(end.status.isMuted ? "muted" : "no longer muted"), by a mixer or a switch")
      }
      // A slider passes many values: only the threshold is news.
      guard end.isLow != former.isLow else { return nil }
      return .remark(end.isLow ? .warning : .info, "\(end.name) is at \(percent(end.status.volume))\(end.isLow ? ": hardly heard" : "")")
    }
  }
}
