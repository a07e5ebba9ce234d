/// A port of a card, as in a device's EnumRoute and Route params: a loudspeaker, a jack, a microphone.
package struct DeskRoute: Sendable, Equatable {
  /// Whether a port captures or plays.
  package enum Direction: Sendable { case input, output }

  /// Whether anything is plugged in. ALSA reports `unknown` without a jack.
  package enum Availability: String, Sendable { case unknown, no, yes }

  /// `port.type`, as in PipeWire's ALSA and BlueZ plugins.
  package enum PortType: String, Sendable { case speaker, headphones, mic, headset, hdmi }

  /// The name from ALSA's mixer paths or BlueZ's plugin: `analog-output-speaker`, `headset-hf-input`.
  package var name: String
  /// The description for people.
  package var description: String
  /// `input` for a microphone, `output` for a loudspeaker.
  package var direction: Direction
  /// The kind of port, from which `isHeardInTheRoom` follows.
  package var portType: PortType
  /// The available route with the highest priority is chosen.
  package var priority: Int
  /// Whether anything is plugged in now; jacks change it.
  package var availability: Availability
  /// `card.profile.device` of the nodes that it can be active for.
  package var devices: [Int]
  /// Indices of the profiles in which it can be active.
  package var profiles: [Int]

  /// Creates a route of the nodes in `devices` (`card.profile.device`), in the profiles of these indices.
  package init(
    _ name: String, _ description: String, _ direction: Direction, _ portType: PortType, priority: Int = 0,
    availability: Availability = .unknown, devices: [Int], profiles: [Int]
  ) {
    self.name = name
    self.description = description
    self.direction = direction
    self.portType = portType
    self.priority = priority
    self.availability = availability
    self.devices = devices
    self.profiles = profiles
  }

  /// Whether its sound is heard in the room.
  package var isHeardInTheRoom: Bool { direction == .output && (portType == .speaker || portType == .hdmi) }
}
