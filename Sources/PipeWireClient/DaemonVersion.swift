/// What depends on the daemon's version. [control]
extension Connection {
  /// True from 0.3.67 on: a link is passive where the filter's port is and a device is at the other end, and a node that always processes runs
  /// with everything that it is linked with. Before, a link is what its own `link.passive` says; from 0.3.68 on the daemon ignores what a client says
  /// there.
  public var hasPassivePorts: Bool { isPipeWire(daemonVersion, atLeast: 0, 3, 67) }

  /// True from 1.4 on: a link whose node was suspended is negotiated anew, though 1.4.2 forgets some, and tells so. Before, it
  /// may be left without buffers for ever, and called active.
  public var revivesLinks: Bool { isPipeWire(daemonVersion, atLeast: 1, 4) }
}

/// Whether a version, "0.3.65", is this one or a later; false where it is not known yet, "".
func isPipeWire(_ version: String, atLeast wanted: Int...) -> Bool {
  !version.split(separator: ".").map { Int($0) ?? 0 }.lexicographicallyPrecedes(wanted)
}
