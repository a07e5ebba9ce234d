internal import CPipeWire
import Platform

/// The complete information on a node, which exceeds the registry's. [control]
package final class NodeInfo {
  /// All of the node's properties; empty until known.
  package private(set) var properties: Properties = [:]
  /// Whether the properties are known.
  package private(set) var isKnown = false
  /// The number of times that the node was suspended while running, without being idle in between.
  package private(set) var suspensions = 0

  /// Whether it takes part in the graph's cycles now.
  package var isRunning: Bool { runningSince != nil }
  /// The time since when it runs, CLOCK_MONOTONIC in ns; nil while it does not.
  package private(set) var runningSince: UInt64?

  private let proxy: BoundProxy
  private let changed: () -> Void
  private let ran: (() -> Void)?

  /// Binds the node. On the loop's thread, `changed` reports its information, and `ran` that it starts or stops running.
  package init(
    _ connection: Connection, id: UInt32, ran: (() -> Void)? = nil, changed: @escaping () -> Void
  ) throws(PipeWireError) {
    self.changed = changed
    self.ran = ran
    proxy = try BoundProxy(connection, id: id, kind: .node, version: PW_VERSION_NODE)
    npw_node_add_listener(proxy.pointer, proxy.makeHook(), Self.events, Unmanaged.passUnretained(self).toOpaque())
  }

  nonisolated(unsafe) private static let events: UnsafePointer<pw_node_events> = {
    let events = UnsafeMutablePointer<pw_node_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_NODE_EVENTS)
    events.pointee.info = { data, info in
      let node = Unmanaged<NodeInfo>.fromOpaque(data!).takeUnretainedValue()
      guard let info else { return }
      let isSuspension = node.isRunning && info.pointee.state == PW_NODE_STATE_SUSPENDED
      let wasRunning = node.isRunning
      node.runningSince = info.pointee.state == PW_NODE_STATE_RUNNING ? node.runningSince ?? monotonicNanoseconds() : nil
      if node.isRunning != wasRunning { node.ran?() }
      if isSuspension { node.suspensions += 1 }
      let hasProperties = info.pointee.change_mask & UInt64(PW_NODE_CHANGE_MASK_PROPS) != 0
      if hasProperties {
        node.properties = Properties(info.pointee.props)
        node.isKnown = true
      }
      if hasProperties || isSuspension { node.changed() }
    }
    return UnsafePointer(events)
  }()
}
