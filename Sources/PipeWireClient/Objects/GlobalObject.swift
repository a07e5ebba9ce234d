/// An object in the daemon's registry, with its registry properties.
public struct GlobalObject: Sendable, Equatable {
  /// The interfaces that are mirrored.
  public enum Kind: String, Sendable {
    case node = "PipeWire:Interface:Node"
    case port = "PipeWire:Interface:Port"
    case link = "PipeWire:Interface:Link"
    case client = "PipeWire:Interface:Client"
    case device = "PipeWire:Interface:Device"
    case metadata = "PipeWire:Interface:Metadata"
  }
  /// Its registry id, which the daemon reuses after the object's end; see `serial`.
  public let id: UInt32
  /// Its interface; objects of other interfaces are not mirrored.
  public let kind: Kind
  /// The properties in the registry, printable and at most 256; nodes and devices may have more (`NodeInfo`, `DeviceInfo`).
  public let properties: Properties

  /// Returns a property that holds an id.
  public func id(_ key: String) -> UInt32? { properties[key].flatMap { UInt32($0) } }

  /// `object.serial`: unlike an id it is never reused; newer objects have higher serials.
  public var serial: UInt64 { properties["object.serial"].flatMap { UInt64($0) } ?? UInt64(id) }

  /// `node.name`; nil if it has none.
  public var nodeName: String? { properties["node.name"] }
}
