import Border
internal import CPipeWire

/// The volume of one node, a stream or a device: what is set of it, and what is heard instead. [control]
public final class NodeVolumes {
  /// What an application, a mixer or a person has set.
  public struct Setting: Equatable, Sendable {
    /// Linear, one for each channel, 0–100; at most 64.
    public var channels: [Float]
    public var isMuted: Bool
    /// Of the loudest channel, as mixers show it.
    public var volume: Float { channels.max() ?? 1 }
  }
  /// nil until the daemon has told; some nodes have none.
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

  /// Closes the device behind it, as a session manager does seconds after the last link has gone; the next link opens it. Only for a node that nothing is
  /// linked to.
  public func suspend() { _ = npw_node_suspend(proxy) }

  nonisolated(unsafe) private static let events: UnsafePointer<pw_node_events> = {
    let events = UnsafeMutablePointer<pw_node_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_NODE_EVENTS)
    events.pointee.param = { data, _, id, _, _, param in
      let node = Unmanaged<NodeVolumes>.fromOpaque(data!).takeUnretainedValue()
      guard id == SPA_PARAM_Props.rawValue else { return }
      guard let setting = Pod(param).flatMap(Setting.init) else { return }
      node.setting = setting
      node.told()
    }
    return UnsafePointer(events)
  }()
}

extension NodeVolumes.Setting {
  /// Linear; more than a hundred times is a mistake of somebody's.
  private static let loudest: Float = 100
  private static let mostChannels = 64

  /// nil where the Props tell no volume.
  init?(_ props: Pod) {
    guard let properties = props.properties(of: UInt32(SPA_TYPE_OBJECT_Props)),
      let channels = properties[SPA_PROP_channelVolumes.rawValue]?.floats, !channels.isEmpty
    else { return nil }
    self.init(
      channels: channels.prefix(Self.mostChannels).map { $0.bounded(to: 0...Self.loudest, else: 0) }, isMuted: NodeVolumes.isMuted(props))
  }
}

extension NodeVolumes {
  /// Also of a card's route. False where the Props do not tell.
  static func isMuted(_ props: Pod) -> Bool {
    props.properties(of: UInt32(SPA_TYPE_OBJECT_Props))?[SPA_PROP_mute.rawValue]?.bool ?? false
  }
}
