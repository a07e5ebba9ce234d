internal import CPipeWire

/// The volume of one stream: what is set of it, and what is heard instead. [control]
public final class NodeVolumes {
  /// What an application or a person has set.
  public struct Setting: Equatable, Sendable {
    /// Linear, one for each channel.
    public var channels: [Float]
    public var isMuted: Bool
  }
  /// nil until the daemon has told; some streams have none.
  public private(set) var setting: Setting?

  private let proxy: OpaquePointer
  private let hook = UnsafeMutablePointer<spa_hook>.zeroed()
  private let told: () -> Void

  /// Binds the node; what is set of it comes by `told`, on the loop's thread, as often as its Props change. [control]
  /// - Throws: `connectionLost`.
  public init(_ connection: Connection, id: UInt32, told: @escaping () -> Void) throws(PipeWireError) {
    self.told = told
    guard let proxy = npw_registry_bind(connection.registry, id, GlobalObject.Kind.node.rawValue, UInt32(PW_VERSION_NODE)) else {
      hook.deallocate()
      throw PipeWireError(code: .connectionLost, description: "the daemon takes no more requests (\(PipeWireError.lastReason))")
    }
    self.proxy = OpaquePointer(proxy)
    npw_node_add_listener(self.proxy, hook, Self.events, Unmanaged.passUnretained(self).toOpaque())
    _ = npw_node_subscribe_props(self.proxy)
  }

  deinit {
    spa_hook_remove(hook)
    pw_proxy_destroy(proxy)
    hook.deallocate()
  }

  /// These volumes are heard instead of those that are set, until somebody sets volume or mute.
  public func lower(to channels: [Float]) {
    _ = channels.withUnsafeBufferPointer {
      npw_node_set_soft_volumes(proxy, $0.baseAddress, UInt32($0.count), setting?.isMuted ?? false)
    }
  }

  /// What is set is heard again.
  public func restore() {
    guard let setting else { return }
    lower(to: setting.channels)
    // That mute is set, as it was, ends what `lower` has laid over; the volumes that are set are never written.
    _ = npw_node_set_mute(proxy, setting.isMuted)
  }

  nonisolated(unsafe) private static let events: UnsafePointer<pw_node_events> = {
    let events = UnsafeMutablePointer<pw_node_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_NODE_EVENTS)
    events.pointee.param = { data, _, id, _, _, param in
      let node = Unmanaged<NodeVolumes>.fromOpaque(data!).takeUnretainedValue()
      guard id == SPA_PARAM_Props.rawValue else { return }
      var volumes = npw_volumes()
      guard npw_volumes_read(param, &volumes) else { return }
      let channels = withUnsafeBytes(of: &volumes.channels) { Array($0.bindMemory(to: Float.self).prefix(Int(volumes.count))) }
      node.setting = Setting(channels: channels, isMuted: volumes.is_muted)
      node.told()
    }
    return UnsafePointer(events)
  }()
}
