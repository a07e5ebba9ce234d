import PipeWireClient

@testable import SimulatedHardware

/// Counts how often a device is suspended while it runs.
final class SuspensionCounter {
  private let loop = ThreadLoop(name: "suspensions")
  /// Accessed inside `loop.locked`.
  private var watch: (connection: Connection, node: NodeInfo)?

  init(_ session: PrivateSession, node name: String) throws {
    try loop.start()
    try loop.locked { () throws in
      let connection = try Connection(loop: loop, remote: session.socket) { _ in }
      connection.roundTrip()
      guard let node = connection.objects(of: .node).first(where: { $0.properties["node.name"] == name }) else {
        throw SessionError(.invalidRequest, "there is no node \(name)")
      }
      watch = (connection, try NodeInfo(connection, id: node.id) {})
      connection.roundTrip()
    }
  }

  deinit {
    loop.locked { watch = nil }
    loop.stop()
  }

  var count: Int { loop.locked { watch?.node.suspensions ?? 0 } }
}
