/// One end of a route: a device and what is active of it. Seed: `AVAudioSessionPortDescription`. [any]
public struct RoutePort: Codable, Sendable, Equatable, Hashable {
  /// `node.name` of the device's node.
  public var name: String
  /// For people: "Built-in Audio Analog Stereo".
  public var description: String
  public var portType: PortType
  /// Name of the device's active Route, "analog-output-headphones"; empty where the device has none.
  public var port: String
  /// For people: "Headphones"; empty where the device has none.
  public var portDescription: String
  /// Whether something is plugged in there.
  public var availability: PortAvailability
  /// `device.name`: the card; empty where there is none.
  public var device: String
  /// Only who wears it hears it (R5).
  public var isPrivate: Bool
  /// Frames per second that the device itself runs at, 16000 for a headset's call profile; nil where it does not tell.
  public var rate: Int?

  public init(
    name: String, description: String = "", portType: PortType = .other, port: String = "", portDescription: String = "",
    availability: PortAvailability = .unknown, device: String = "", isPrivate: Bool = false, rate: Int? = nil
  ) {
    self.rate = rate
    self.name = name
    self.description = description
    self.portType = portType
    self.port = port
    self.portDescription = portDescription
    self.availability = availability
    self.device = device
    self.isPrivate = isPrivate
  }

  /// What makes it this port and no other: node and Route.
  public var id: PortId { PortId(node: name, port: port) }
}

/// A port by node and Route. [any]
public struct PortId: Codable, Sendable, Equatable, Hashable {
  /// `node.name`
  public var node: String
  /// Name of the Route; empty where the device has none.
  public var port: String

  public init(node: String, port: String = "") {
    self.node = node
    self.port = port
  }
}

/// Where sound comes from and goes to: none or one of each today. Seed: `AVAudioSessionRouteDescription`. [any]
public struct RouteDescription: Codable, Sendable, Equatable {
  public var inputs: [RoutePort]
  public var outputs: [RoutePort]

  public init(inputs: [RoutePort] = [], outputs: [RoutePort] = []) {
    self.inputs = inputs
    self.outputs = outputs
  }

  public subscript(direction: Device.Direction) -> [RoutePort] { direction == .input ? inputs : outputs }

  public var isEmpty: Bool { inputs.isEmpty && outputs.isEmpty }

  /// True where it leads elsewhere: through another port, or the same as another type of port. What is told of a port besides does not count.
  public func differs(from other: RouteDescription) -> Bool { differs(from: other, .input) || differs(from: other, .output) }

  func differs(from other: RouteDescription, _ direction: Device.Direction) -> Bool {
    let (old, new) = (other[direction], self[direction])
    return old.count != new.count || zip(old, new).contains { ($0.id, $0.portType) != ($1.id, $1.portType) }
  }
}
