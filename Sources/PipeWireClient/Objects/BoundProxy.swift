internal import CPipeWire

/// Owns this client's proxy of one of the daemon's objects, and the hooks of its listeners. [control]
final class BoundProxy {
  let pointer: OpaquePointer
  /// Must outlive the proxy.
  private let connection: Connection
  private var hooks: [UnsafeMutablePointer<spa_hook>] = []

  /// Takes ownership of the proxy that `make` returns.
  /// - Throws: `connectionLost`.
  init(_ connection: Connection, make: () -> OpaquePointer?) throws(PipeWireError) {
    connection.loop.assertLocked()
    guard let pointer = make() else {
      throw PipeWireError(code: .connectionLost, description: "the daemon takes no more requests (\(PipeWireError.lastReason))")
    }
    self.pointer = pointer
    self.connection = connection
  }

  /// Binds an object of the registry.
  /// - Parameter version: the version of the object's interface.
  /// - Throws: `connectionLost`.
  convenience init(_ connection: Connection, id: UInt32, kind: GlobalObject.Kind, version: some BinaryInteger) throws(PipeWireError) {
    try self.init(connection) {
      npw_registry_bind(connection.registry, id, kind.rawValue, UInt32(version)).map { OpaquePointer($0) }
    }
  }

  deinit {
    for hook in hooks { spa_hook_remove(hook) }
    pw_proxy_destroy(pointer)
    for hook in hooks { hook.deallocate() }
  }

  /// Returns a new hook for one listener, owned by this object.
  func makeHook() -> UnsafeMutablePointer<spa_hook> {
    let hook = UnsafeMutablePointer<spa_hook>.zeroed()
    hooks.append(hook)
    return hook
  }

  /// Listens to the proxy's own events. `events` and `context`, the first argument of each, must outlive this object.
  func listen(_ events: UnsafePointer<pw_proxy_events>, _ context: UnsafeMutableRawPointer) {
    pw_proxy_add_listener(pointer, makeHook(), events, context)
  }
}
