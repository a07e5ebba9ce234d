import Border
internal import CPipeWire

/// An object that this client made in the daemon: a device, or a link. It ends with this value, or with the connection. [control]
public final class RemoteObject {
  /// Its id in the registry once the daemon has told it.
  public private(set) var id: UInt32?
  /// What the daemon said against it, if anything.
  public private(set) var failure: String?
  /// True once the daemon has removed it, whoever asked for that.
  public private(set) var isRemoved = false
  /// Of a link: true where the daemon last called it active. It does not tell when it negotiates an active link anew.
  public private(set) var isActive = false

  private let connection: Connection
  private var proxy: OpaquePointer?
  private let hook = UnsafeMutablePointer<spa_hook>.zeroed()
  private let linkHook = UnsafeMutablePointer<spa_hook>.zeroed()
  private let changed: (RemoteObject) -> Void

  /// Asks the daemon's factory for an object; the answer comes by `changed`, on the loop's thread. [control]
  /// - Throws: `connectionLost`.
  convenience init(
    connection: Connection, factory: String, type: String, version: UInt32, properties: Properties,
    changed: @escaping (RemoteObject) -> Void
  ) throws(PipeWireError) {
    try self.init(connection: connection, isLink: type == GlobalObject.Kind.link.rawValue, changed: changed) {
      properties.withDictionary { npw_core_create_object(connection.core, factory, type, version, $0) }
    }
  }

  /// `make` asks the daemon, and gives the proxy of what will be.
  private init(
    connection: Connection, isLink: Bool = false, changed: @escaping (RemoteObject) -> Void, make: () -> OpaquePointer?
  ) throws(PipeWireError) {
    self.connection = connection
    self.changed = changed
    proxy = make()
    // Everything is initialized by now: `deinit` runs, and frees the hook, also where this throws.
    guard let proxy else {
      throw PipeWireError(code: .connectionLost, description: "the daemon takes no more requests (\(PipeWireError.lastReason))")
    }
    let this = Unmanaged.passUnretained(self).toOpaque()
    pw_proxy_add_listener(proxy, hook, Self.events, this)
    if isLink { npw_link_add_listener(proxy, linkHook, Self.linkEvents, this) }
  }

  deinit {
    spa_hook_remove(linkHook)
    spa_hook_remove(hook)
    if let proxy { pw_proxy_destroy(proxy) }
    linkHook.deallocate()
    hook.deallocate()
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
  /// A device that lives in this process, as those of a session manager's monitors do. [control]
  /// - Parameter implementation: a `struct spa_device`, which must outlive the object.
  public static func device(
    _ connection: Connection, implementation: UnsafeMutableRawPointer, properties: Properties, changed: @escaping (RemoteObject) -> Void
  ) throws(PipeWireError) -> RemoteObject {
    try RemoteObject(connection: connection, isLink: false, changed: changed) {
      properties.withDictionary { pw_core_export(connection.core, "Spa:Pointer:Interface:Device", $0, implementation, 0) }
    }
  }

  /// A link from an output port to an input port. [control]
  /// - Parameter isPassive: true where the link by itself keeps nothing awake.
  public static func link(
    _ connection: Connection, from output: UInt32, to input: UInt32, isPassive: Bool, changed: @escaping (RemoteObject) -> Void
  ) throws(PipeWireError) -> RemoteObject {
    var properties = ["link.output.port": "\(output)", "link.input.port": "\(input)", "object.linger": "false"]
    if isPassive { properties["link.passive"] = "true" }
    return try RemoteObject(
      connection: connection, factory: "link-factory", type: GlobalObject.Kind.link.rawValue, version: UInt32(PW_VERSION_LINK),
      properties: properties, changed: changed)
  }

  /// A virtual device: an adapter around `support.null-audio-sink`, which mixes what is played into it and offers it as its monitor. [control]
  public static func virtualDevice(
    _ connection: Connection, properties: Properties, changed: @escaping (RemoteObject) -> Void
  ) throws(PipeWireError) -> RemoteObject {
    let fixed = ["factory.name": "support.null-audio-sink", "object.linger": "false"]
    return try RemoteObject(
      connection: connection, factory: "adapter", type: GlobalObject.Kind.node.rawValue, version: UInt32(PW_VERSION_NODE),
      properties: properties.merging(fixed) { $1 }, changed: changed)
  }
}
