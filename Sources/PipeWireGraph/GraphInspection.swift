import PipeWireClient
import SessionModel

/// Looks into a daemon's graph without joining it.
public enum GraphInspection {
  /// The real devices that nearend could use. Waits for the daemon's answer. [any]
  /// - Parameter remote: path of the daemon's socket, or its name; nil for the user's own.
  public static func devices(remote: String? = nil) throws(GraphError) -> [Device] {
    let loop = ThreadLoop(name: "nearend-inspect")
    loop.start()
    defer { loop.stop() }
    return try loop.locked { () throws(GraphError) in
      var metadata: Metadata?
      var connection: Connection?
      do throws(PipeWireError) {
        connection = try Connection(loop: loop, remote: remote, properties: ["application.name": "Nearend Voice Processing"]) { event in
          guard case .added(let object) = event, object.kind == .metadata, object.properties["metadata.name"] == "default",
            let connection
          else { return }
          metadata = try? Metadata(connection, object: object) { _ in }
        }
      } catch {
        throw GraphError(error)
      }
      defer {
        metadata = nil
        connection = nil
      }
      func answer() throws(GraphError) {
        guard let connection, connection.roundTrip() else { throw .noDaemon(reason: "the PipeWire daemon does not answer") }
      }
      // Twice: the second answer brings the metadata's values.
      for _ in 0..<2 { try answer() }
      let objects = GraphObjects(connection!.objects.values)
      let ports = PortWatch(connection!) {}
      do throws(PipeWireError) { try ports.watch(objects.nodes) } catch { throw GraphError(error) }
      // Again twice: what a card has to tell, and then that.
      for _ in 0..<2 { try answer() }
      return RealDevices.candidates(in: objects, RealDevices.Circumstances(defaults: metadata?.values ?? [:], ports: ports))
    }
  }
}
