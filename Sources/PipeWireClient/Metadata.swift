import Border
internal import CPipeWire
import Foundation

/// A mirror of one of the daemon's metadata objects ("default", "settings"). [control]
public final class Metadata {
  /// The values of subject 0, which are the whole graph's.
  public private(set) var values: [String: String] = [:]
  /// Ids of the streams that the session manager lets follow the default, whatever they asked for: it has set their `target.node` to −1,
  /// and nobody has moved them since (that would also set `target.object`).
  public var followers: [UInt32] { targets.filter { $0.value == [Self.targetNode: "-1"] }.map(\.key) }
  private var targets: [UInt32: [String: String]] = [:]
  private static let targetNode = "target.node"
  private static let targetKeys: Set = [targetNode, "target.object"]

  /// A Boolean value indicating whether all initial values are known.
  public private(set) var isKnown = false

  private let connection: Connection
  private let proxy: OpaquePointer
  private let hook = UnsafeMutablePointer<spa_hook>.zeroed()
  private let proxyHook = UnsafeMutablePointer<spa_hook>.zeroed()
  private let changed: (_ key: String?) -> Void

  /// Binds the object; `changed` reports each value on the loop's thread, and nil once all are known. [control]
  public init(_ connection: Connection, object: GlobalObject, changed: @escaping (_ key: String?) -> Void) throws(PipeWireError) {
    self.connection = connection
    self.changed = changed
    guard let proxy = npw_registry_bind(connection.registry, object.id, object.kind.rawValue, UInt32(PW_VERSION_METADATA)) else {
      hook.deallocate()
      proxyHook.deallocate()
      throw PipeWireError(code: .connectionLost, description: "the daemon takes no more requests (\(PipeWireError.lastReason))")
    }
    self.proxy = OpaquePointer(proxy)
    let this = Unmanaged.passUnretained(self).toOpaque()
    npw_metadata_add_listener(self.proxy, hook, Self.events, this)
    pw_proxy_add_listener(self.proxy, proxyHook, Self.proxyEvents, this)
    pw_proxy_sync(self.proxy, 0)
  }

  deinit {
    spa_hook_remove(hook)
    spa_hook_remove(proxyHook)
    pw_proxy_destroy(proxy)
    hook.deallocate()
    proxyHook.deallocate()
  }

  /// Sets a value of subject 0, or removes it with nil. `values` is updated at once, because the daemon may tell only other clients.
  /// [control]
  public func set(_ key: String, type: String?, value: String?) {
    values[key] = value
    npw_metadata_set_property(proxy, 0, key, type, value)
  }

  /// Sends a stream back to the device it asked for. [control]
  public func followNoLonger(_ stream: UInt32) {
    targets[stream] = nil
    npw_metadata_set_property(proxy, stream, Self.targetNode, nil, nil)
  }

  private func target(of stream: UInt32, _ key: String?, _ value: String?) {
    guard let key else {
      targets[stream] = nil
      return
    }
    guard Self.targetKeys.contains(key) else { return }
    var target = targets[stream] ?? [:]
    target[key] = value
    targets[stream] = target.isEmpty ? nil : target
    changed(key)
  }

  nonisolated(unsafe) private static let events: UnsafePointer<pw_metadata_events> = {
    let events = UnsafeMutablePointer<pw_metadata_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_METADATA_EVENTS)
    events.pointee.property = { data, subject, key, _, value in
      let metadata = Unmanaged<Metadata>.fromOpaque(data!).takeUnretainedValue()
      let (key, value) = (key.map { String(cString: $0) }, value.map { String(cString: $0) })
      guard subject == 0 else {
        metadata.target(of: subject, key, value)
        return 0
      }
      guard let key else { return 0 }
      metadata.values[key] = value
      metadata.changed(key)
      return 0
    }
    return UnsafePointer(events)
  }()

  nonisolated(unsafe) private static let proxyEvents: UnsafePointer<pw_proxy_events> = {
    let events = UnsafeMutablePointer<pw_proxy_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_PROXY_EVENTS)
    events.pointee.done = { data, _ in
      let metadata = Unmanaged<Metadata>.fromOpaque(data!).takeUnretainedValue()
      metadata.isKnown = true
      metadata.changed(nil)
    }
    return UnsafePointer(events)
  }()
}

extension Metadata {
  /// Reads a name from a value's JSON: {"name":"alsa_output.…"}; nil if there is none. Made printable, like the node names that it is compared with. [any]
  public static func name(in json: String?) -> String? {
    guard let json else { return nil }
    struct Value: Decodable { var name: String }
    return try? JSONDecoder().decode(Value.self, from: Data(json.utf8)).name.printable()
  }
}
