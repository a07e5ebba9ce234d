/// A port of a card, as a device's EnumRoute and Route params tell it: a loudspeaker, a jack, a microphone.
public struct DeskRoute: Sendable, Equatable {
  public enum Direction: Sendable { case input, output }

  /// Whether anything is plugged in there. ALSA says `unknown` of what has no jack.
  public enum Availability: String, Sendable { case unknown, no, yes }

  /// `port.type`, in the words of PipeWire's ALSA and BlueZ plugins.
  public enum PortType: String, Sendable { case speaker, headphones, mic, headset, hdmi }

  /// As ALSA's mixer paths or BlueZ's plugin name it: `analog-output-speaker`, `headset-hf-input`.
  public var name: String
  /// For people.
  public var description: String
  public var direction: Direction
  public var portType: PortType
  /// The higher is chosen where two are available.
  public var priority: Int
  public var availability: Availability
  /// `card.profile.device` of the nodes that it can be active for.
  public var devices: [Int]
  /// Indices of the profiles in which it can be active.
  public var profiles: [Int]

  public init(
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

  /// Whether what plays there is heard in the room.
  public var isHeardInTheRoom: Bool { direction == .output && (portType == .speaker || portType == .hdmi) }
}
