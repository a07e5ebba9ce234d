import PipeWireClient

/// Makes the links that the plan wants and ends those that it no longer wants; a link that somebody else made between the same ports is as good, and
/// is left alone. [control]
final class LinkKeeper {
  private let connection: Connection
  private let suspensions: SuspensionWatch
  private var made: [LinkKey: (link: LinkPlan.Link, object: RemoteObject)] = [:]
  private var retries = RetrySchedule<LinkKey>()
  private let changed: () -> Void
  private let failed: (String) -> Void

  /// `changed` is called when a link of ours came or went without being asked for; `failed` with the daemon's reason, once
  /// for each link.
  init(_ connection: Connection, changed: @escaping () -> Void, failed: @escaping (String) -> Void) {
    self.connection = connection
    suspensions = SuspensionWatch(connection, changed: changed)
    self.changed = changed
    self.failed = failed
  }

  /// Earliest time at which a refused link should be tried again, CLOCK_MONOTONIC in ns.
  var nextRetry: UInt64? { retries.next }

  /// Brings the graph to the plan. Links are ended in the opposite order of that in which they are made.
  func apply(_ plan: LinkPlan, existing: [GraphObjects.Link]) throws(PipeWireError) {
    let wanted = Dictionary(plan.links.map { ($0.key, $0) }) { $1 }
    let now = monotonicNanoseconds()
    retries.keep { wanted[$0] != nil }
    let known = Set(made.values.compactMap { $0.object.id })
    let foreign = Set(existing.filter { !known.contains($0.id) && made[$0.key] == nil }.map(\.key))

    // A link may be dead, and nothing tells so, where its device was suspended under it.
    let suspended = try suspensions.take(Set(plan.links.map(\.device)))
    end {
      $0.object.isRemoved || $0.object.failure != nil || wanted[$0.link.key] != $0.link || suspended.contains($0.link.device)
    }
    func isMissing(_ link: LinkPlan.Link) -> Bool {
      made[link.key] == nil && retries.mayTry(link.key, at: now) && !foreign.contains(link.key)
    }
    // A speaker link made while reference links stand would close the loop, and be the late one: the reference links are made anew after it.
    if plan.links.contains(where: { $0.role == .speaker && isMissing($0) }) { end { $0.link.role == .reference } }
    for link in plan.links.sorted(by: { $0.role.rawValue < $1.role.rawValue }) where isMissing(link) {
      let object = try RemoteObject.link(
        connection, from: link.key.output, to: link.key.input, isPassive: link.isPassive
      ) { [weak self] object in self?.answered(link.key, object) }
      made[link.key] = (link, object)
    }
  }

  private func end(where condition: ((link: LinkPlan.Link, object: RemoteObject)) -> Bool) {
    let ended = made.values.filter(condition).map(\.link).sorted { $0.role.rawValue > $1.role.rawValue }
    for link in ended { made[link.key] = nil }
  }

  private func answered(_ key: LinkKey, _ object: RemoteObject) {
    if let failure = object.failure {
      if retries.refused(key, at: monotonicNanoseconds()) { failed(failure) }
    } else if object.id != nil {
      retries.succeeded(key)
    }
    if object.failure != nil || object.isRemoved { changed() }
  }
}
