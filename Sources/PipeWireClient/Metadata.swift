internal import CPipeWire

/// One of the daemon's metadata objects ("default", "settings"), mirrored. [control]
public final class Metadata {
  /// Values of subject 0, the whole graph's.
  public private(set) var values: [String: String] = [:]

  private let connection: Connection
  private let proxy: OpaquePointer
  private let hook = UnsafeMutablePointer<spa_hook>.zeroed()
  private let changed: (_ key: String) -> Void

  /// Binds the object; its values come by `changed`, on the loop's thread. [control]
  public init(_ connection: Connection, object: GlobalObject, changed: @escaping (_ key: String) -> Void) throws(PipeWireError) {
    self.connection = connection
    self.changed = changed
    guard let proxy = npw_registry_bind(connection.registry, object.id, object.kind.rawValue, UInt32(PW_VERSION_METADATA)) else {
      hook.deallocate()
      throw PipeWireError(code: .connectionLost, description: "the daemon takes no more requests (\(PipeWireError.lastReason))")
    }
    self.proxy = OpaquePointer(proxy)
    npw_metadata_add_listener(self.proxy, hook, Self.events, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    spa_hook_remove(hook)
    pw_proxy_destroy(proxy)
    hook.deallocate()
  }

  /// Sets a value of subject 0, or removes it with nil. [control]
  public func set(_ key: String, type: String?, value: String?) { npw_metadata_set_property(proxy, 0, key, type, value) }

  nonisolated(unsafe) private static let events: UnsafePointer<pw_metadata_events> = {
    let events = UnsafeMutablePointer<pw_metadata_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_METADATA_EVENTS)
    events.pointee.property = { data, subject, key, _, value in
      let metadata = Unmanaged<Metadata>.fromOpaque(data!).takeUnretainedValue()
      guard subject == 0, let key = key.map({ String(cString: $0) }) else { return 0 }
      metadata.values[key] = value.map { String(cString: $0) }
      metadata.changed(key)
      return 0
    }
    return UnsafePointer(events)
  }()
}
