import Border
internal import CPipeWire

/// An object in the daemon that this client made: a device or a link. It ends with this value, or with the connection. [control]
package final class RemoteObject {
  /// Its id in the registry, once known.
  package private(set) var id: UInt32?
  /// The daemon's error message, if any.
  package private(set) var failure: String?
  /// Whether the daemon has removed it, for whatever reason.
  package private(set) var isRemoved = false
  /// Whether the daemon last reported a link as active. Renegotiation of an active link is not reported.
  package private(set) var isActive = false

  private let proxy: BoundProxy
  private let changed: (RemoteObject) -> Void

  /// Requests an object from one of the daemon's factories; `changed` reports the answer on the loop's thread. [control]
  /// - Throws: `connectionLost`.
  convenience init(
    connection: Connection, factory: String, type: String, version: UInt32, properties: Properties,
    changed: @escaping (RemoteObject) -> Void
  ) throws(PipeWireError) {
    try self.init(connection: connection, isLink: type == GlobalObject.Kind.link.rawValue, changed: changed) {
      properties.withDictionary { npw_core_create_object(connection.core, factory, type, version, $0) }
    }
  }

  /// `make` sends the request and returns the new object's proxy.
  private init(
    connection: Connection, isLink: Bool = false, changed: @escaping (RemoteObject) -> Void, make: () -> OpaquePointer?
  ) throws(PipeWireError) {
    self.changed = changed
    proxy = try BoundProxy(connection, make: make)
    let this = Unmanaged.passUnretained(self).toOpaque()
    proxy.listen(Self.events, this)
    if isLink { npw_link_add_listener(proxy.pointer, proxy.makeHook(), Self.linkEvents, this) }
  }

  nonisolated(unsafe) private static let events: UnsafePointer<pw_proxy_events> = {
    let events = UnsafeMutablePointer<pw_proxy_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_PROXY_EVENTS)
    events.pointee.bound = { data, id in
      let object = Unmanaged<RemoteObject>.fromOpaque(data!).takeUnretainedValue()
      object.id = id
      object.changed(object)
    }
    events.pointee.removed = { data in
      let object = Unmanaged<RemoteObject>.fromOpaque(data!).takeUnretainedValue()
      object.isRemoved = true
      object.changed(object)
    }
    events.pointee.error = { data, _, result, message in
      let object = Unmanaged<RemoteObject>.fromOpaque(data!).takeUnretainedValue()
      object.failure = message.map { String(cString: $0).printable(atMost: String.longestRemark) } ?? PipeWireError.reason(result)
      object.changed(object)
    }
    return UnsafePointer(events)
  }()

  nonisolated(unsafe) private static let linkEvents: UnsafePointer<pw_link_events> = {
    let events = UnsafeMutablePointer<pw_link_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_LINK_EVENTS)
    events.pointee.info = { data, info in
      guard let info else { return }
      Unmanaged<RemoteObject>.fromOpaque(data!).takeUnretainedValue().isActive = info.pointee.state == PW_LINK_STATE_ACTIVE
    }
    return UnsafePointer(events)
  }()
}

extension RemoteObject {
  /// Exports a device that lives in this process, as session managers do. [control]
  /// - Parameter implementation: a `struct spa_device`, which must outlive the object.
  package static func device(
    _ connection: Connection, implementation: UnsafeMutableRawPointer, properties: Properties, changed: @escaping (RemoteObject) -> Void
  ) throws(PipeWireError) -> RemoteObject {
    try RemoteObject(connection: connection, isLink: false, changed: changed) {
      properties.withDictionary { pw_core_export(connection.core, "Spa:Pointer:Interface:Device", $0, implementation, 0) }
    }
  }

  /// Makes a link from an output port to an input port. [control]
  /// - Parameter isPassive: whether the link by itself keeps nothing awake.
  package static func link(
    _ connection: Connection, from output: UInt32, to input: UInt32, isPassive: Bool, changed: @escaping (RemoteObject) -> Void
  ) throws(PipeWireError) -> RemoteObject {
    var properties = ["link.output.port": "\(output)", "link.input.port": "\(input)", "object.linger": "false"]
    if isPassive { properties["link.passive"] = "true" }
    return try RemoteObject(
      connection: connection, factory: "link-factory", type: GlobalObject.Kind.link.rawValue, version: UInt32(PW_VERSION_LINK),
      properties: properties, changed: changed)
  }

  /// Makes a virtual device: an adapter around `support.null-audio-sink`, which mixes its inputs and offers the mix as its monitor.
  /// [control]
  package static func virtualDevice(
    _ connection: Connection, properties: Properties, changed: @escaping (RemoteObject) -> Void
  ) throws(PipeWireError) -> RemoteObject {
    let fixed = ["factory.name": "support.null-audio-sink", "object.linger": "false"]
    return try RemoteObject(
      connection: connection, factory: "adapter", type: GlobalObject.Kind.node.rawValue, version: UInt32(PW_VERSION_NODE),
      properties: properties.merging(fixed) { $1 }, changed: changed)
  }
}
