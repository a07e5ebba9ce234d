internal import CHostileClient
import Glibc

/// Adds a node of a hostile client with properties of any text; `hc_remove_node` removes it.
package func addHostileNode(_ properties: [String: String], to client: OpaquePointer) -> OpaquePointer? {
  withProperties(properties) { hc_add_node(client, $0, $1) }
}

/// Adds a card of a hostile client with properties of any text; `hc_remove_device` removes it. `params` are pods by param id, at
/// addresses aligned to 8 bytes; they are copied.
package func addHostileCard(
  _ properties: [String: String], params: [(id: UInt32, pod: UnsafeRawBufferPointer)] = [], to client: OpaquePointer
) -> OpaquePointer? {
  let pods = params.map { hc_pod(id: $0.id, bytes: $0.pod.baseAddress, size: UInt32($0.pod.count)) }
  return withProperties(properties) { hc_add_device(client, $0, $1, pods, UInt32(pods.count)) }
}

private func withProperties<Value>(_ properties: [String: String], _ body: (UnsafePointer<hc_property>?, UInt32) -> Value) -> Value {
  let texts = properties.sorted { $0.key < $1.key }.map { (strdup($0.key)!, strdup($0.value)!) }
  defer {
    for (key, value) in texts {
      free(key)
      free(value)
    }
  }
  let raw = texts.map { hc_property(key: UnsafePointer($0.0), value: UnsafePointer($0.1)) }
  return raw.withUnsafeBufferPointer { body($0.baseAddress, UInt32($0.count)) }
}
