/// An object in the daemon's registry, with the properties that the registry tells of it.
public struct GlobalObject: Sendable, Equatable {
  /// The interfaces that nearend looks at; others are not mirrored.
  public enum Kind: String, Sendable {
    case node = "PipeWire:Interface:Node"
    case port = "PipeWire:Interface:Port"
    case link = "PipeWire:Interface:Link"
    case client = "PipeWire:Interface:Client"
    case device = "PipeWire:Interface:Device"
    case metadata = "PipeWire:Interface:Metadata"
  }
  public let id: UInt32
  public let kind: Kind
  public let properties: Properties

  /// A property that holds an id.
  public func id(_ key: String) -> UInt32? { properties[key].flatMap { UInt32($0) } }

  /// `object.serial`, which unlike an id is never used again: the higher, the newer.
  public var serial: UInt64 { properties["object.serial"].flatMap { UInt64($0) } ?? UInt64(id) }

  /// `node.name`; nil where it has none.
  public var nodeName: String? { properties["node.name"] }
}
