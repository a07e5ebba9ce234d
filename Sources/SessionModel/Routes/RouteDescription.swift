/// One end of a route: a device and its active port, as in Apple's `AVAudioSessionPortDescription`. [any]
public struct RoutePort: Codable, Sendable, Equatable, Hashable {
  /// `node.name` of the device's node.
  public var name: String
  /// A description for people: "Built-in Audio Analog Stereo".
  public var description: String
  /// The kind of port (R3); `other` if the graph does not report it.
  public var portType: PortType
  /// Name of the device's active Route, "analog-output-headphones"; empty if it has none.
  public var port: String
  /// A description for people: "Headphones"; empty if the device has no Route.
  public var portDescription: String
  /// Whether something is plugged in.
  public var availability: PortAvailability
  /// `device.name` of the card; empty if there is none.
  public var device: String
  /// A Boolean value indicating whether only the wearer hears it (R5).
  public var isPrivate: Bool
  /// The device's own rate in Hz, 16000 for a headset's call profile; nil if unknown.
  public var rate: Int?

  package init(
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

  /// The identity of the port: node and Route.
  public var id: PortId { PortId(node: name, port: port) }

  /// A node may be known before its card has reported the Route, and a headset's node with the Route of its former profile, so its type
  /// identifies the profile.
  fileprivate func isSame(as other: RoutePort) -> Bool {
    name == other.name && portType == other.portType && (port == other.port || port.isEmpty || other.port.isEmpty || isBluetooth)
  }
}

/// A port by node and Route. [any]
public struct PortId: Codable, Sendable, Equatable, Hashable {
  /// `node.name`
  public var node: String
  /// Name of the Route; empty if the device has none.
  public var port: String

  package init(node: String, port: String = "") {
    self.node = node
    self.port = port
  }
}

/// The inputs and outputs in use, at present at most one of each, as in Apple's `AVAudioSessionRouteDescription`. [any]
public struct RouteDescription: Codable, Sendable, Equatable {
  /// The port of the real microphone; empty if there is none.
  public var inputs: [RoutePort]
  /// The port of the real speaker; empty if there is none.
  public var outputs: [RoutePort]

  package init(inputs: [RoutePort] = [], outputs: [RoutePort] = []) {
    self.inputs = inputs
    self.outputs = outputs
  }

  /// The ports of one direction.
  public subscript(direction: Device.Direction) -> [RoutePort] { direction == .input ? inputs : outputs }

  /// A Boolean value indicating whether no real device is in use.
  public var isEmpty: Bool { inputs.isEmpty && outputs.isEmpty }

  /// Returns whether the routes use different ports, or the same port as a different type. Other properties of a port do not count.
  public func differs(from other: RouteDescription) -> Bool { differs(from: other, .input) || differs(from: other, .output) }

  func differs(from other: RouteDescription, _ direction: Device.Direction) -> Bool {
    let (old, new) = (other[direction], self[direction])
    return old.count != new.count || zip(old, new).contains { !$0.isSame(as: $1) }
  }
}
