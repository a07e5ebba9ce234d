import Border
internal import CPipeWire
internal import Glibc
import Platform

/// A connection to a PipeWire daemon, with a mirror of its registry. [control]
///
/// When the daemon goes away, `.lost` is reported once; make a new `Connection` to try again (the `ThreadLoop` continues).
package final class Connection {
  /// An event of the daemon, reported on the loop's thread.
  package enum Event {
    case added(GlobalObject)
    case removed(GlobalObject)
    /// The daemon went away or disconnected this client. The connection is unusable from now on.
    case lost(PipeWireError)
    /// There are more objects than are kept; reported once.
    case full
    /// A request was refused; with the id of the proxy concerned, and the daemon's message.
    case failed(proxy: UInt32, reason: String)
  }

  /// The loop that drives the connection; its lock guards everything marked [control].
  package let loop: ThreadLoop
  /// Every object of the daemon that this client may see, by id; at most 16,384, with properties of 16 MiB in all.
  package var objects: [UInt32: GlobalObject] { mirror.objects }
  private var mirror: ObjectMirror
  /// Boolean values indicating whether objects have been omitted since the registry was last listed, and whether `.full` has been reported.
  private var (isFull, hasTold) = (false, false)
  /// A second registry while it lists all objects once more.
  private var listing: OpaquePointer?
  /// The daemon's version, "0.3.65"; empty until reported.
  package private(set) var daemonVersion = ""

  let core: OpaquePointer
  let registry: OpaquePointer
  private let context: OpaquePointer
  private let coreHook = UnsafeMutablePointer<spa_hook>.zeroed()
  private let registryHook = UnsafeMutablePointer<spa_hook>.zeroed()
  private let listingHook = UnsafeMutablePointer<spa_hook>.zeroed()
  private let handler: (Event) -> Void
  private var lastDone: Int32 = -1
  private var pings: [Int32: () -> Void] = [:]
  private var isLost = false

  /// Connects to the daemon, and starts mirroring its registry. Call `roundTrip` to wait until the mirror is complete. [control]
  /// - Parameters:
  ///   - remote: the path of the daemon's socket, or its name; nil for the user's own (`PIPEWIRE_REMOTE`, or "pipewire-0").
  ///   - properties: the client's properties, for example `application.name`.
  ///   - handler: called on the loop's thread, or inside `roundTrip`.
  /// - Throws: `noDaemon` if no daemon answers.
  package convenience init(
    loop: ThreadLoop, remote: String? = nil, properties: Properties = [:], handler: @escaping (Event) -> Void
  ) throws(PipeWireError) {
    try self.init(loop: loop, remote: remote, properties: properties, mostObjects: ObjectMirror.mostObjects, handler: handler)
  }

  /// As above, with a bound other than 16,384 objects.
  init(
    loop: ThreadLoop, remote: String?, properties: Properties, mostObjects: Int, handler: @escaping (Event) -> Void
  ) throws(PipeWireError) {
    loop.assertLocked()
    mirror = ObjectMirror(most: mostObjects)
    self.loop = loop
    self.handler = handler
    var properties = properties
    // client-rt.conf raises the data thread's priority through module-rt; from 1.4 on client.conf does so, and requesting the former logs a
    // warning.
    let configuration = isPipeWire(PipeWireLibrary.version, atLeast: 1, 4) ? "client.conf" : "client-rt.conf"
    let contextProperties = properties.merging(["config.name": configuration]) { $1 }
    let events = ThreadLoop.hasDescriptors() ? loop.events : nil
    guard let context = events.flatMap({ pw_context_new($0, contextProperties.makePointer(), 0) }) else {
      let code = errno
      coreHook.deallocate()
      registryHook.deallocate()
      listingHook.deallocate()
      throw Self.contextError(code, configuration)
    }
    self.context = context
    if let remote { properties["remote.name"] = remote }
    guard let core = Self.connect(context, remote, properties) else {
      let code = errno
      pw_context_destroy(context)
      coreHook.deallocate()
      registryHook.deallocate()
      listingHook.deallocate()
      let address = DaemonAddress(remote: remote)
      // Of a socket EAGAIN says that the daemon does not answer.
      if address.isThere, ![nil, .threads].contains(Shortage(code: abs(code))) {
        throw PipeWireError(failed: "the PipeWire daemon at \(address.path) cannot be reached", code)
      }
      throw address.error(reason: address.reason(code))
    }
    self.core = core
    registry = npw_core_get_registry(core)
    let data = Unmanaged.passUnretained(self).toOpaque()
    npw_core_add_listener(core, coreHook, Self.coreEvents, data)
    npw_registry_add_listener(registry, registryHook, Self.registryEvents, data)
  }

  private static func contextError(_ code: Int32, _ configuration: String) -> PipeWireError {
    guard code == ENOENT, Shortage(code: code) == nil else {
      return PipeWireError(failed: "PipeWire's client library cannot be set up", code)
    }
    return PipeWireError(
      code: .refused, description: "PipeWire's \(configuration) is missing",
      remedy: "install the package that contains /usr/share/pipewire")
  }

  /// Connects to the socket itself if its path is given: libpipewire 0.3 would prefer what PIPEWIRE_REMOTE names. nil, with `errno`, on a
  /// failure.
  private static func connect(_ context: OpaquePointer, _ remote: String?, _ properties: Properties) -> OpaquePointer? {
    guard let remote, remote.hasPrefix("/") else { return pw_context_connect(context, properties.makePointer(), 0) }
    let descriptor = DaemonAddress(remote: remote).connectedSocket()
    return descriptor >= 0 ? pw_context_connect_fd(context, descriptor, properties.makePointer(), 0) : nil
  }

  deinit {
    destroyListing()
    listingHook.deallocate()
    spa_hook_remove(registryHook)
    spa_hook_remove(coreHook)
    pw_proxy_destroy(registry)
    pw_core_disconnect(core)
    pw_context_destroy(context)
    registryHook.deallocate()
    coreHook.deallocate()
  }

  /// Waits until the daemon has processed all requests so far. Returns false if it went away or `timeout` seconds passed. [control]
  @discardableResult
  package func roundTrip(timeout: Double = 5) -> Bool {
    loop.assertLocked()
    let sequence = npw_core_sync(core, 0, 0)
    while lastDone != sequence, !isLost {
      guard loop.wait(seconds: timeout) else { return false }
    }
    return !isLost
  }

  /// Pings the daemon; calls `answered` on the loop's thread when the answer arrives, possibly never. [control]
  package func ping(_ answered: @escaping () -> Void) {
    loop.assertLocked()
    pings[npw_core_sync(core, 0, 0)] = answered
  }

  /// Returns the objects of one kind. [control]
  package func objects(of kind: GlobalObject.Kind) -> some Sequence<GlobalObject> {
    objects.values.lazy.filter { $0.kind == kind }
  }

  // nonisolated(unsafe): written once here, before the first use, and only read by libpipewire afterwards.
  nonisolated(unsafe) private static let coreEvents: UnsafePointer<pw_core_events> = {
    let events = UnsafeMutablePointer<pw_core_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_CORE_EVENTS)
    events.pointee.info = { data, info in
      let connection = Unmanaged<Connection>.fromOpaque(data!).takeUnretainedValue()
      if let version = info?.pointee.version { connection.daemonVersion = String(cString: version).printable() }
    }
    events.pointee.done = { data, id, sequence in
      let connection = Unmanaged<Connection>.fromOpaque(data!).takeUnretainedValue()
      guard id == 0 else { return }
      connection.lastDone = sequence
      connection.pings.removeValue(forKey: sequence)?()
      connection.loop.signal()
    }
    events.pointee.error = { data, id, _, result, message in
      let connection = Unmanaged<Connection>.fromOpaque(data!).takeUnretainedValue()
      let reason = message.map { String(cString: $0).printable(atMost: String.longestRemark) } ?? PipeWireError.reason(result)
      guard id == 0, result == -EPIPE || result == -ECONNRESET || reason == "connection error" else {
        return connection.handler(.failed(proxy: id, reason: reason))
      }
      guard !connection.isLost else { return }
      connection.isLost = true
      connection.loop.signal()
      // Messages that bring descriptors break the connection off where there are none.
      let short = Shortage(code: abs(result)).map { "; \($0.advice)" } ?? ""
      connection.handler(.lost(PipeWireError(code: .connectionLost, description: "the PipeWire daemon went away (\(reason)\(short))")))
    }
    return UnsafePointer(events)
  }()

  nonisolated(unsafe) private static let registryEvents: UnsafePointer<pw_registry_events> = {
    let events = UnsafeMutablePointer<pw_registry_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_REGISTRY_EVENTS)
    events.pointee.global = { data, id, _, type, _, properties in
      let connection = Unmanaged<Connection>.fromOpaque(data!).takeUnretainedValue()
      guard let kind = GlobalObject.Kind(rawValue: String(cString: type!)) else { return }
      connection.add(GlobalObject(id: id, kind: kind, properties: Properties(properties)))
    }
    events.pointee.global_remove = { data, id in
      let connection = Unmanaged<Connection>.fromOpaque(data!).takeUnretainedValue()
      guard let object = connection.mirror.remove(id) else { return }
      connection.handler(.removed(object))
      connection.listAgain()
    }
    return UnsafePointer(events)
  }()

  private func add(_ object: GlobalObject) {
    // The second registry also lists what the first one has reported.
    guard objects[object.id]?.serial != object.serial else { return }
    if mirror.add(object) { return handler(.added(object)) }
    isFull = true
    if !hasTold { handler(.full) }
    hasTold = true
  }

  /// Lists omitted objects once there is room again, because a registry reports each object only once.
  private func listAgain() {
    guard isFull, mirror.hasRoom, listing == nil, let registry = npw_core_get_registry(core) else { return }
    isFull = false
    listing = registry
    npw_registry_add_listener(registry, listingHook, Self.registryEvents, Unmanaged.passUnretained(self).toOpaque())
    ping { [weak self] in
      self?.destroyListing()
      // More may have been removed meanwhile.
      self?.listAgain()
    }
  }

  private func destroyListing() {
    guard let listing else { return }
    spa_hook_remove(listingHook)
    pw_proxy_destroy(listing)
    self.listing = nil
  }
}

extension UnsafeMutablePointer {
  /// Allocates one value with all bits zero, as C's event tables and hooks require.
  static func zeroed() -> Self {
    let pointer = Self.allocate(capacity: 1)
    memset(pointer, 0, MemoryLayout<Pointee>.size)
    return pointer
  }
}
