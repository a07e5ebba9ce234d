internal import CPipeWire

/// Everything the daemon tells of one node, which is more than the registry does. [control]
public final class NodeInfo {
  /// All of the node's properties; empty until the daemon has told.
  public private(set) var properties: Properties = [:]
  /// True once the daemon has told.
  public private(set) var isKnown = false
  /// How often it was suspended in the middle of running, without having become idle before.
  public private(set) var suspensions = 0

  /// Whether it takes part in the graph's cycles now.
  public var isRunning: Bool { runningSince != nil }
  /// Since when, CLOCK_MONOTONIC in ns; nil while it does not.
  public private(set) var runningSince: UInt64?

  private let connection: Connection
  private let proxy: OpaquePointer
  private let hook = UnsafeMutablePointer<spa_hook>.zeroed()
  private let changed: () -> Void
  private let ran: (() -> Void)?

  /// Binds the node; what it is comes by `changed`, that it begins or ends to run by `ran`, on the loop's thread. [control]
  public init(
    _ connection: Connection, id: UInt32, ran: (() -> Void)? = nil, changed: @escaping () -> Void
  ) throws(PipeWireError) {
    self.connection = connection
    self.changed = changed
    self.ran = ran
    let kind = GlobalObject.Kind.node.rawValue
    guard let proxy = npw_registry_bind(connection.registry, id, kind, UInt32(PW_VERSION_NODE)) else {
      hook.deallocate()
      throw PipeWireError(code: .connectionLost, description: "the daemon takes no more requests (\(PipeWireError.lastReason))")
    }
    self.proxy = OpaquePointer(proxy)
    npw_node_add_listener(self.proxy, hook, Self.events, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    spa_hook_remove(hook)
    pw_proxy_destroy(proxy)
    hook.deallocate()
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
