import Border
internal import CPipeWire

/// The volume of one node, a stream or a device: as set, and optionally a different one that is heard instead. [control]
package final class NodeVolumes {
  /// The volume as set by an application, a mixer or a person.
  package struct Setting: Equatable, Sendable {
    /// Linear gains, one per channel, 0–100; at most 64.
    package var channels: [Float]
    /// Whether it is muted; false if the Props do not say.
    package var isMuted: Bool
    /// The gain of the loudest channel, as mixers show it.
    package var volume: Float { channels.max() ?? 1 }
  }
  /// nil until known; some nodes have none.
  package private(set) var setting: Setting?

  private let proxy: BoundProxy
  private let volumesChanged: () -> Void

  /// Binds the node; `volumesChanged` is called on the loop's thread whenever its Props change.
  /// - Throws: `connectionLost`.
  package init(_ connection: Connection, id: UInt32, volumesChanged: @escaping () -> Void) throws(PipeWireError) {
    self.volumesChanged = volumesChanged
    proxy = try BoundProxy(connection, id: id, kind: .node, version: PW_VERSION_NODE)
    npw_node_add_listener(proxy.pointer, proxy.makeHook(), Self.events, Unmanaged.passUnretained(self).toOpaque())
    _ = npw_node_subscribe_props(proxy.pointer)
  }

  /// Makes these volumes audible instead of the set ones, until somebody sets volume or mute.
  package func lower(to channels: [Float]) {
    _ = channels.withUnsafeBufferPointer {
      npw_node_set_soft_volumes(proxy.pointer, $0.baseAddress, UInt32($0.count), setting?.isMuted ?? false)
    }
  }

  /// Makes the set volumes audible again.
  package func restore() {
    guard let setting else { return }
    lower(to: setting.channels)
    // Setting mute to its current value ends the override by `lower`; the set volumes are never written.
    _ = npw_node_set_mute(proxy.pointer, setting.isMuted)
  }

  /// Suspends the device, as a session manager does seconds after the last link has gone; the next link resumes it. Requires that the node
  /// has no links.
  package func suspend() { _ = npw_node_suspend(proxy.pointer) }

  nonisolated(unsafe) private static let events: UnsafePointer<pw_node_events> = {
    let events = UnsafeMutablePointer<pw_node_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_NODE_EVENTS)
    events.pointee.param = { data, _, id, _, _, param in
      let node = Unmanaged<NodeVolumes>.fromOpaque(data!).takeUnretainedValue()
      guard id == SPA_PARAM_Props.rawValue else { return }
      guard let setting = Pod(param).flatMap(Setting.init) else { return }
      node.setting = setting
      node.volumesChanged()
    }
    return UnsafePointer(events)
  }()
}

extension NodeVolumes.Setting {
  /// Linear; anything beyond a hundredfold is an error.
  private static let loudest: Float = 100
  private static let mostChannels = 64

  /// nil if the Props contain no volume.
  init?(_ props: Pod) {
    guard let properties = props.properties(of: UInt32(SPA_TYPE_OBJECT_Props)),
      let channels = properties[SPA_PROP_channelVolumes.rawValue]?.floats, !channels.isEmpty
    else { return nil }
    self.init(
      channels: channels.prefix(Self.mostChannels).map { $0.bounded(to: 0...Self.loudest, else: 0) }, isMuted: NodeVolumes.isMuted(props))
  }
}

extension NodeVolumes {
  /// Also works for a card's route. False if the Props do not say.
  static func isMuted(_ props: Pod) -> Bool {
    props.properties(of: UInt32(SPA_TYPE_OBJECT_Props))?[SPA_PROP_mute.rawValue]?.bool ?? false
  }
}
