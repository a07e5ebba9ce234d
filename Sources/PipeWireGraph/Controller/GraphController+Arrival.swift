import PipeWireClient
import Platform
import SessionModel

/// Whether nearend has its place in a daemon's graph, and since when the daemon is away.
struct Arrival {
  /// When the daemon went away, or was found missing, CLOCK_MONOTONIC in ns; nil while it is there.
  var lostSince: UInt64?
  /// Set once nearend has joined a daemon's graph.
  var hasJoined = false
  /// The last reported reason for having no place in the graph although a daemon runs.
  var refusal: GraphError?

  /// Seconds since the daemon went away; 0 while it is there.
  var secondsAway: Double { lostSince.map { Double(monotonicNanoseconds() - $0) / 1e9 } ?? 0 }
}

/// Joins a daemon's graph: at start, when a daemon that nearend waits for appears, and when one that went away is back.
extension GraphController {
  /// Seconds between attempts to reach a daemon, so that its return is noticed within 2 s (I6); the longer one once it has been away for
  /// `patience`.
  private static let retryIntervals = (soon: 0.25, later: 1.0)
  private static let patience = 10.0
  /// Seconds between checks whether another nearend still holds the node.
  private static let takenInterval = 2.0

  /// Returns false if the daemon is not there and is to be waited for.
  func join() throws(GraphError) -> Bool {
    do throws(GraphError) {
      do throws(PipeWireError) { try attach() } catch { throw GraphError(error) }
      try checkStart()
      freeze.connection = attachment?.connection
      return true
    } catch {
      guard options.waitsForArrival, case .noDaemon(let reason) = error else { throw error }
      arrival.lostSince = monotonicNanoseconds()
      log(.warning, "\(reason); waiting for it")
      interrupt(.daemonLost, true)
      retryLater()
      return false
    }
  }

  /// Checks what can be wrong at start only: another nearend, a device that does not exist.
  private func checkStart() throws(GraphError) {
    guard let attachment else { return }
    let connection = attachment.connection
    guard connection.roundTrip() else { throw GraphError(.silentDaemon) }
    attachment.routes.waitForDefaults()
    let objects = GraphObjects(connection.objects.values)
    attachment.objects = objects
    if let other = otherNearend(objects, connection) { throw other }
    let candidates = attachment.routes.observation(of: attachment.realDevices).candidates
    for direction in Device.Direction.both {
      guard let name = options.device(direction) else { continue }
      let named = candidates.filter { $0.name == name }
      guard !named.contains(where: { $0.direction == direction }) else { continue }
      // One that is not there may come; one of the other direction never becomes one of this.
      guard options.waitsForArrival, named.isEmpty else {
        throw .unknownDevice(name: name, direction: direction, available: candidates)
      }
      log(.warning, direction.awaiting(name))
    }
  }

  /// Handles the news that a picked device is one of the other direction: what was started to use it cannot do its work.
  func refusePick(_ direction: Device.Direction, _ name: String) {
    guard options.waitsForArrival, options.device(direction) == name, let attachment else {
      return log(.warning, direction.isMisplaced(name))
    }
    let candidates = attachment.routes.observation(of: attachment.realDevices).candidates
    listener.handle(.failed(.unknownDevice(name: name, direction: direction, available: candidates)))
  }

  private func otherNearend(_ objects: GraphObjects, _ connection: Connection) -> GraphError? {
    // Any client may give a node this name.
    let clients = objects.nodes.lazy.filter { $0.nodeName == NodeNames.filter }.compactMap { $0.id("client.id") }
    let name = DaemonAttachment.client["application.name"]
    guard let client = clients.compactMap({ connection.objects[$0] }).first(where: { $0.properties["application.name"] == name }) else {
      return nil
    }
    return .alreadyRunning(pid: client.id("pipewire.sec.pid").map { Int($0) })
  }

  /// Tries to reach the daemon again, and schedules another attempt if that fails.
  func reconnect() {
    guard !isStopping else { return }
    detach()
    news.forgetUsers()
    do throws(PipeWireError) {
      try attach()
      // Before the first join another nearend may hold the node; ask asynchronously, because this thread must not block.
      guard arrival.hasJoined else { return attachment?.connection.ping { [weak self] in self?.joinLate() } ?? () }
      try build()
      // Whatever listens on the socket need not be a working daemon.
      attachment?.connection.ping { [weak self] in self?.arrived("back", " again") }
    } catch {
      detach()
      let refusal = GraphError(error)
      // A daemon that is still away is no news.
      if error.code == .refused, arrival.refusal != refusal {
        log(.error, "\(refusal); trying again")
        arrival.refusal = refusal
      }
      retryLater()
    }
  }

  func retryLater() {
    schedule.reconnect.schedule(after: arrival.secondsAway < Self.patience ? Self.retryIntervals.soon : Self.retryIntervals.later)
  }

  private func joinLate() {
    guard let attachment, !isStopping else { return }
    let objects = GraphObjects(attachment.connection.objects.values)
    attachment.objects = objects
    if let other = otherNearend(objects, attachment.connection) {
      if arrival.refusal != other { log(.error, "\(other.description); waiting until it ends") }
      arrival.refusal = other
      // Deferred: `reconnect` destroys the connection, and this is a callback of it.
      return schedule.reconnect.schedule(after: Self.takenInterval)
    }
    do throws(PipeWireError) { try build() } catch {
      log(.error, error.description)
      return schedule.reconnect.schedule(after: Self.takenInterval)
    }
    arrived("there", "")
  }

  private func arrived(_ place: String, _ again: String) {
    log(.info, "the PipeWire daemon is \(place) after \(fixed(arrival.secondsAway, 1)) s; nearend is in its graph\(again)")
    (arrival.lostSince, arrival.refusal) = (nil, nil)
    freeze.connection = attachment?.connection
    interrupt(.daemonLost, false)
    reconcileSoon()
  }
}
