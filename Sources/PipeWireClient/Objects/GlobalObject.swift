/// An object in the daemon's registry, with its registry properties.
package struct GlobalObject: Sendable, Equatable {
  /// The interfaces that are mirrored.
  package enum Kind: String, Sendable {
    case node = "PipeWire:Interface:Node"
    case port = "PipeWire:Interface:Port"
    case link = "PipeWire:Interface:Link"
    case client = "PipeWire:Interface:Client"
    case device = "PipeWire:Interface:Device"
    case metadata = "PipeWire:Interface:Metadata"
  }
  /// Its registry id, which the daemon reuses after the object's end; see `serial`.
  package let id: UInt32
  /// Its interface; objects of other interfaces are not mirrored.
  package let kind: Kind
  /// The properties in the registry, printable and at most 256; nodes and devices may have more (`NodeInfo`, `DeviceInfo`).
  package let properties: Properties
  /// `object.serial`: unlike an id it is never reused; newer objects have higher serials. An old daemon, which tells none, is
  /// taken at its ids.
  package let serial: UInt64

  /// Creates an object out of what the registry tells.
  package init(id: UInt32, kind: Kind, properties: Properties) {
    (self.id, self.kind, self.properties) = (id, kind, properties)
    serial = properties["object.serial"].flatMap { UInt64($0) } ?? UInt64(id)
  }

  /// Returns a property that holds an id.
  package func id(_ key: String) -> UInt32? { properties[key].flatMap { UInt32($0) } }

  /// `node.name`; nil if it has none.
  package var nodeName: String? { properties["node.name"] }
}
