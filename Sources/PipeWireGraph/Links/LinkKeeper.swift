import PipeWireClient
import Platform

/// Makes the links of the plan and removes those that it no longer contains; a link between the same ports that another client made counts
/// as present and is left alone. [control]
final class LinkKeeper {
  private let connection: Connection
  private let suspensions: SuspensionWatch
  private var made: [LinkKey: Made] = [:]
  private let inquiry: LinkInquiry
  private var retries = RetrySchedule<LinkKey>()
  private let changed: () -> Void
  private let failed: (String) -> Void

  private struct Made {
    let link: LinkPlan.Link
    let object: RemoteObject
    /// Whether its device was suspended, and the daemon is expected to revive the link.
    var isDown = false
    /// Whether the link is dead, or may be dead without notice.
    var isStale = false

    /// Whether the link ended by itself, or was never made.
    var isGone: Bool { object.isRemoved || object.failure != nil }
  }

  /// `changed` is called when a link was made, or removed by others; `failed` with the daemon's reason, once per link.
  init(_ connection: Connection, changed: @escaping () -> Void, failed: @escaping (String) -> Void) {
    self.connection = connection
    suspensions = SuspensionWatch(connection, changed: changed)
    inquiry = LinkInquiry(connection, changed: changed)
    self.changed = changed
    self.failed = failed
  }

  /// The earliest time to retry a refused link, or to check one that is down, CLOCK_MONOTONIC in ns.
  var nextRetry: UInt64? { [retries.next, nextCheck].compactMap { $0 }.min() }
  private var nextCheck: UInt64?

  /// The time that the daemon may take to revive the links of a suspended device that runs again, in nanoseconds.
  private static let revival: UInt64 = 500_000_000

  /// Brings the links to the plan. Links are removed in reverse order of creation.
  func apply(_ plan: LinkPlan, existing: [GraphObjects.Link]) throws(PipeWireError) {
    let wanted = Dictionary(plan.links.map { ($0.key, $0) }) { $1 }
    let now = monotonicNanoseconds()
    retries.keep { wanted[$0] != nil }
    let known = Set(made.values.compactMap { $0.object.id })
    let foreign = Set(existing.filter { !known.contains($0.id) && made[$0.key] == nil }.map(\.key))

    try noticeSuspensions(plan, at: now)
    made = made.filter { !$0.value.isGone }

    func isMissing(_ link: LinkPlan.Link) -> Bool {
      made[link.key] == nil && retries.mayTry(link.key, at: now) && !foreign.contains(link.key)
    }
    func isOver(_ entry: Made) -> Bool { entry.isStale || wanted[entry.link.key] != entry.link }
    var over = made.filter { isOver($0.value) }.map(\.value.link)
    // A speaker link made while reference links exist would close the loop, and be the late one, so the reference links are made again
    // after it.
    let makesSpeaker = plan.links.contains { $0.role == .speaker && (isMissing($0) || made[$0.key].map(isOver) == true) }
    if makesSpeaker { over += made.values.map(\.link).filter { $0.role == .reference && !over.contains($0) } }
    let hasEnded = try end(over)
    for link in plan.links.sorted(by: { $0.role.rawValue < $1.role.rawValue }) where isMissing(link) {
      if !hasEnded, makesSpeaker, link.role == .speaker || link.role == .reference { continue }
      let object = try RemoteObject.link(
        connection, from: link.key.output, to: link.key.input, isPassive: link.isPassive
      ) { [weak self] object in self?.answered(link.key, object) }
      made[link.key] = Made(link: link, object: object)
    }
  }

  /// Marks links that are dead, or may be, because their device was suspended.
  private func noticeSuspensions(_ plan: LinkPlan, at now: UInt64) throws(PipeWireError) {
    let suspended = try suspensions.suspended(among: Set(plan.links.map(\.device)))
    for (key, entry) in made where suspended.contains(entry.link.device) {
      if connection.revivesLinks { made[key]?.isDown = true } else { made[key]?.isStale = true }
    }
    nextCheck = nil
    for (key, entry) in made where entry.isDown {
      guard let start = suspensions.runningSince(entry.link.device) else { continue }
      guard now >= start + Self.revival else {
        nextCheck = min(nextCheck ?? .max, start + Self.revival)
        continue
      }
      made[key]?.isDown = false
      made[key]?.isStale = !entry.object.isActive
    }
  }

  /// Removes links once the daemon can handle it. Returns false until then; `changed` reports when.
  private func end(_ over: [LinkPlan.Link]) throws(PipeWireError) -> Bool {
    guard try inquiry.mayEnd(over.compactMap { made[$0.key]?.object }) else { return false }
    for link in over.sorted(by: { $0.role.rawValue > $1.role.rawValue }) { made[link.key] = nil }
    return true
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
