/// What depends on the daemon's version. [control]
extension Connection {
  /// True from 0.3.67 on: a link is passive where the filter's port is and a device is at the other end, and a node that always processes runs
  /// with everything that it is linked with. Before, a link is what its own `link.passive` says; from 0.3.68 on the daemon ignores what a client says
  /// there.
  public var hasPassivePorts: Bool { isDaemon(atLeast: 0, 3, 67) }

  /// True from 1.4 on: a link whose node was suspended is negotiated anew. Before, it may be left without buffers for ever, and called active.
  public var revivesLinks: Bool { isDaemon(atLeast: 1, 4) }

  /// False until the daemon has told its version.
  private func isDaemon(atLeast version: Int...) -> Bool {
    !daemonVersion.split(separator: ".").map { Int($0) ?? 0 }.lexicographicallyPrecedes(version)
  }
}
