import PipeWireClient
import SessionModel

/// Inspects a daemon's graph without joining it.
public enum GraphInspection {
  /// Lists the real devices that nearend could use. Waits for the daemon's answer, and briefly for the session manager's, which knows the
  /// defaults. [any]
  /// - Parameter remote: path of the daemon's socket, or its name; nil for the user's own.
  public static func devices(remote: String? = nil) throws(GraphError) -> [Device] {
    let loop = ThreadLoop(name: "nearend-inspect")
    let inquiry = GraphInquiry(loop: loop, remote: remote)
    loop.start()
    defer {
      // First end the thread: it may be about to call, without the lock, what is destroyed here.
      loop.stop()
      loop.locked { inquiry.end() }
    }
    return try loop.locked { () throws(GraphError) in try inquiry.devices() }
  }
}

/// Queries a daemon, from `init` to `end`. [control]
private final class GraphInquiry {
  private let loop: ThreadLoop
  private let remote: String?
  private var connection: Connection?
  /// Has a connection of its own: a session manager that hangs must not delay the rest.
  private var defaults: DefaultMetadata?
  private var ports: PortWatch?

  init(loop: ThreadLoop, remote: String?) {
    self.loop = loop
    self.remote = remote
  }

  func devices() throws(GraphError) -> [Device] {
    do throws(PipeWireError) {
      let connection = try Connection(loop: loop, remote: remote, properties: GraphController.client) { _ in }
      self.connection = connection
      guard connection.roundTrip() else { throw Self.silence }
      let defaults = DefaultMetadata(loop: loop, remote: remote, properties: GraphController.client) {}
      self.defaults = defaults
      defaults.wait()
      let objects = GraphObjects(connection.objects.values)
      let ports = PortWatch(
        connection, cards: CardWatch(loop: loop, remote: remote, properties: GraphController.client) {}
      ) {}
      self.ports = ports
      try ports.watch(objects.nodes)
      guard connection.roundTrip() else { throw Self.silence }
      ports.cards.waitUntilKnown()
      return RealDevices.candidates(in: objects, RealDevices.Circumstances(defaults: defaults.metadata?.values ?? [:], ports: ports))
    } catch {
      throw GraphError(error)
    }
  }

  func end() { (ports, defaults, connection) = (nil, nil, nil) }

  private static let silence = PipeWireError(code: .noDaemon, description: "the PipeWire daemon does not answer")
}
