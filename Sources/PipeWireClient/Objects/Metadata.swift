import Border
internal import CPipeWire
import Foundation

/// A mirror of one of the daemon's metadata objects ("default", "settings", "filters"). [control]
package final class Metadata {
  /// Values of subject 0, the whole graph, for the requested keys; at most 4,096 bytes each.
  package var values: [String: String] { kept.values }
  /// Ids of streams that the session manager lets follow the default, regardless of the device that they asked for.
  package var followers: [UInt32] { kept.followers }
  /// Whether there are more streams with a target than are kept.
  package var isFull: Bool { kept.isFull }
  private var kept: MetadataValues

  /// Whether all initial values are known.
  package private(set) var isKnown = false

  private let proxy: BoundProxy
  private let changed: (_ key: String?) -> Void

  /// Binds the object; `changed` reports changed keys on the loop's thread, and nil once all initial values are known. [control]
  package init(
    _ connection: Connection, object: GlobalObject, keys: Set<String>, changed: @escaping (_ key: String?) -> Void
  ) throws(PipeWireError) {
    kept = MetadataValues(keys: keys)
    self.changed = changed
    proxy = try BoundProxy(connection, id: object.id, kind: object.kind, version: PW_VERSION_METADATA)
    let this = Unmanaged.passUnretained(self).toOpaque()
    npw_metadata_add_listener(proxy.pointer, proxy.makeHook(), Self.events, this)
    proxy.listen(Self.proxyEvents, this)
    pw_proxy_sync(proxy.pointer, 0)
  }

  /// Sets a value of subject 0, or removes it with nil. Updates `values` at once, because the daemon may report the change only to other
  /// clients. [control]
  package func set(_ key: String, type: String?, value: String?) {
    _ = kept.set(0, key, value)
    npw_metadata_set_property(proxy.pointer, 0, key, type, value)
  }

  /// Sets a value of a node. [control]
  package func set(_ key: String, of node: UInt32, type: String, value: String) {
    npw_metadata_set_property(proxy.pointer, node, key, type, value)
  }

  /// Sends a stream back to the device it asked for. [control]
  package func followNoLonger(_ stream: UInt32) {
    kept.forget(stream)
    npw_metadata_set_property(proxy.pointer, stream, MetadataValues.targetNode, nil, nil)
  }

  /// Returns where a stream was told to be: a serial number, a name, or "-1" for the default; nil where nobody has said. [control]
  package func target(of stream: UInt32) -> String? { kept.target(of: stream) }

  /// Moves a stream to a node, by the node's serial number, or to any other `target`; nil takes back what was said. Updates `target` at
  /// once, as `set` does. [control]
  package func move(_ stream: UInt32, to target: String?) {
    _ = kept.set(stream, MetadataValues.targetObject, target)
    let type = target.map { Int64($0) == nil ? "Spa:String" : "Spa:Id" }
    npw_metadata_set_property(proxy.pointer, stream, MetadataValues.targetObject, type, target)
  }

  nonisolated(unsafe) private static let events: UnsafePointer<pw_metadata_events> = {
    let events = UnsafeMutablePointer<pw_metadata_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_METADATA_EVENTS)
    events.pointee.property = { data, subject, key, _, value in
      let metadata = Unmanaged<Metadata>.fromOpaque(data!).takeUnretainedValue()
      let (key, value) = (key.map { String(cString: $0) }, value.map { String(cString: $0) })
      if metadata.kept.set(subject, key, value) { metadata.changed(key ?? "") }
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
  /// Returns names as a value: ["equalizer","echo"]. [any]
  package static func value(of names: [String]) -> String {
    (try? JSONEncoder().encode(names)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
  }

  /// Reads a name from a value's JSON: {"name":"alsa_output.…"}; nil if there is none. Made printable, like the node names that it is
  /// compared with. [any]
  package static func name(in json: String?) -> String? {
    guard let json else { return nil }
    struct Value: Decodable { var name: String }
    return try? JSONDecoder().decode(Value.self, from: Data(json.utf8)).name.printable()
  }
}
