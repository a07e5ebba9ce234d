/// The graph's and the session's facts about routes at one instant. [any]
package struct RouteObservation: Sendable, Equatable {
  /// The devices whose sound does not come back into nearend (R1), oldest first.
  package var devices: [RouteDevice] = []
  /// Serial numbers of all nodes, whether they can be used or not.
  package var serials: Set<UInt64> = []
  /// Every known Bluetooth card.
  package var headsets: [HeadsetProfile.Card] = []
  package var defaults = SessionDefaults()
  /// What the session would need if nothing interrupted it.
  package var wanted = SessionDemand()
  /// Remarks on objects that exceed the observable number; each is logged once.
  package var omissions: [String] = []

  package init() {}

  package func devices(_ direction: Device.Direction) -> [RouteDevice] { devices.filter { $0.direction == direction } }

  /// Every port that can be used now.
  package var available: Set<PortId> { devices.reduce(into: []) { $0.formUnion($1.available) } }

  /// Every device, for people to choose from.
  package var candidates: [Device] {
    (devices(.output) + devices(.input)).map { device in
      Device(
        name: device.name, description: device.port.description, direction: device.direction,
        isDefault: device.name == defaults.current[device.direction], portType: device.port.portType,
        portDescription: device.port.portDescription, availability: device.port.availability)
    }
  }
}

/// The session's default devices, as reported by its session manager. [any]
package struct SessionDefaults: Sendable, Equatable {
  /// A device that a person has configured as the default.
  package struct Configured: Sendable, Equatable {
    /// The value as the session manager wrote it; "" for none.
    package var value: String
    /// The device's name in the value; nil if there is none.
    package var name: String?

    package init(value: String, name: String?) {
      self.value = value
      self.name = name
    }

    /// No device is configured.
    package static let none = Configured(value: "", name: nil)
  }
  /// The names of the default devices.
  package var current: [Device.Direction: String]
  /// The configured defaults; a direction is missing if the session manager has not reported one.
  package var configured: [Device.Direction: Configured]
  /// Whether the session manager has reported everything.
  package var isKnown: Bool
  /// Whether it offers to make smart filters of nodes.
  package var offersSmartFilters: Bool

  package init(
    current: [Device.Direction: String] = [:], configured: [Device.Direction: Configured] = [:], isKnown: Bool = false,
    offersSmartFilters: Bool = false
  ) {
    self.offersSmartFilters = offersSmartFilters
    self.current = current
    self.configured = configured
    self.isKnown = isKnown
  }

  /// Whether both configured defaults are nearend's devices.
  package var areOurs: Bool { Device.Direction.both.allSatisfy { configured[$0]?.name == NodeNames.device($0) } }
}

extension Device.Direction {
  package static let both = [Device.Direction.output, .input]
}
