/// A node that nearend can record from or play to, with everything known about it at one instant. [any]
package struct RouteDevice: Sendable, Equatable {
  /// The node's id, and its serial number, which unlike an id is never reused.
  package var id: UInt32
  package var serial: UInt64
  package var direction: Device.Direction
  /// `priority.session`
  package var priority: Int
  /// `device.id` of its card; nil if it has none.
  package var card: UInt32?
  /// Its end of a route.
  package var port: RoutePort
  /// Every port that the device can use now; empty if nothing is plugged into any of its jacks.
  package var available: Set<PortId>
  /// Whether the daemon has reported everything about the device and its card.
  package var isKnown: Bool

  package init(
    id: UInt32, serial: UInt64, direction: Device.Direction, priority: Int = 0, card: UInt32? = nil, port: RoutePort,
    available: Set<PortId>, isKnown: Bool = true
  ) {
    self.id = id
    self.serial = serial
    self.direction = direction
    self.priority = priority
    self.card = card
    self.port = port
    self.available = available
    self.isKnown = isKnown
  }

  /// `node.name`
  package var name: String { port.name }
}

/// The devices in use. [any]
package struct RouteChoice: Sendable, Equatable {
  package var microphone: RouteDevice?
  package var speaker: RouteDevice?

  package init(microphone: RouteDevice? = nil, speaker: RouteDevice? = nil) {
    self.microphone = microphone
    self.speaker = speaker
  }

  /// The names of the devices.
  package var ends: RouteEnds { RouteEnds(microphone: microphone?.name, speaker: speaker?.name) }

  /// The route that the devices form.
  package var route: RouteDescription {
    RouteDescription(inputs: microphone.map { [$0.port] } ?? [], outputs: speaker.map { [$0.port] } ?? [])
  }
}
