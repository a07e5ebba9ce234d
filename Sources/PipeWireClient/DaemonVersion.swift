/// Differences between versions of the daemon. [control]
extension Connection {
  /// Whether the ports decide, as from 0.3.67 on: a link is passive if the filter's port is passive and a device is at the other end, and a
  /// node that always processes keeps everything linked with it running. Before, a link's own `link.passive` decides; from 0.3.68 on the
  /// daemon ignores it from clients.
  package var hasPassivePorts: Bool { isPipeWire(daemonVersion, atLeast: 0, 3, 67) }

  /// Whether the daemon, as from 1.4 on, renegotiates a link whose node was suspended, although 1.4.2 forgets some and reports so. Before,
  /// it may stay without buffers forever while reported as active.
  package var revivesLinks: Bool { isPipeWire(daemonVersion, atLeast: 1, 4) }
}

/// Returns whether a version, "0.3.65", is at least the given one; false while it is unknown, "".
func isPipeWire(_ version: String, atLeast wanted: Int...) -> Bool {
  !version.split(separator: ".").map { Int($0) ?? 0 }.lexicographicallyPrecedes(wanted)
}
