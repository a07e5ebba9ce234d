import PipeWireClient
import SessionModel

/// Inspects a daemon's graph without joining it.
package enum GraphInspection {
  /// Lists the real devices that nearend could use. Waits for the daemon's answer, and briefly for the session manager, which knows the
  /// defaults. [any]
  /// - Parameter remote: path of the daemon's socket, or its name; nil for the user's own.
  package static func devices(remote: String? = nil) throws(GraphError) -> [Device] {
    do throws(PipeWireError) {
      let client = DaemonAttachment.client
      return try DaemonInquiry.run(thread: "nearend-inspect", remote: remote, properties: client) {
        (inquiry, connection) throws(PipeWireError) in
        let routes = inquiry.keep(RouteWatch(connection, remote: remote, properties: client) {})
        routes.waitForDefaults()
        let devices = RealDevices(GraphObjects(connection.objects.values))
        try routes.watch(devices)
        guard connection.roundTrip() else { throw PipeWireError.silentDaemon }
        routes.waitForCards()
        return routes.observation(of: devices).candidates
      }
    } catch {
      throw GraphError(error)
    }
  }
}
