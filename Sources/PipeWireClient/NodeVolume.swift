internal import CPipeWire

/// A node's volume and mute, as mixers set them, followed as they change. [control]
public final class NodeVolume {
  /// Linear, of the loudest channel; 1 until the daemon has told.
  public private(set) var volume = 1.0
  public private(set) var isMuted = false

  private let connection: Connection
  private let proxy: OpaquePointer
  private let hook = UnsafeMutablePointer<spa_hook>.zeroed()
  private let changed: () -> Void

  /// Binds the node; what is set comes by `changed`, on the loop's thread. [control]
  /// - Throws: `connectionLost`.
  public init(_ connection: Connection, id: UInt32, changed: @escaping () -> Void) throws(PipeWireError) {
    self.connection = connection
    self.changed = changed
    let kind = GlobalObject.Kind.node.rawValue
    guard let proxy = npw_registry_bind(connection.registry, id, kind, UInt32(PW_VERSION_NODE)) else {
      hook.deallocate()
      throw PipeWireError(code: .connectionLost, description: "the daemon takes no more requests (\(PipeWireError.lastReason))")
    }
    self.proxy = OpaquePointer(proxy)
    npw_node_add_listener(self.proxy, hook, Self.events, Unmanaged.passUnretained(self).toOpaque())
    npw_node_follow_props(self.proxy)
  }

  deinit {
    spa_hook_remove(hook)
    pw_proxy_destroy(proxy)
    hook.deallocate()
  }

  /// Closes the device behind it, as a session manager does seconds after the last link has gone; the next link opens it. Only for a node that nothing is
  /// linked to. [control]
  public func suspend() { npw_node_suspend(proxy) }

  private func take(_ props: UnsafePointer<spa_pod>?) {
    var told = npw_volume()
    guard npw_volume_read(props, &told), (volume, isMuted) != (Double(told.volume), told.is_muted) else { return }
    (volume, isMuted) = (Double(told.volume), told.is_muted)
    changed()
  }

  nonisolated(unsafe) private static let events: UnsafePointer<pw_node_events> = {
    let events = UnsafeMutablePointer<pw_node_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_NODE_EVENTS)
    events.pointee.param = { data, _, _, _, _, param in Unmanaged<NodeVolume>.fromOpaque(data!).takeUnretainedValue().take(param) }
    return UnsafePointer(events)
  }()
}
