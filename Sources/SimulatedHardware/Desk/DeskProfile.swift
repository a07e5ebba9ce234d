import PipeWireClient

/// A way to use a card: its EnumProfile param, and the nodes that exist while it is active.
package struct DeskProfile: Sendable, Equatable {
  /// `off`, `output:analog-stereo+input:analog-stereo`, `a2dp-sink`, `headset-head-unit`.
  package var name: String
  /// The description for people.
  package var description: String
  /// The session manager chooses the available profile with the highest priority.
  package var priority: Int
  /// The nodes that exist while it is active; empty for off.
  package var nodes: [DeskNode]

  /// Creates a profile; `description` is for people, and `nodes` exist while it is active.
  package init(_ name: String, _ description: String, priority: Int, nodes: [DeskNode]) {
    self.name = name
    self.description = description
    self.priority = priority
    self.nodes = nodes
  }

  /// The profile in which a card has no node; the first of every card.
  package static let off = DeskProfile("off", "Off", priority: 0, nodes: [])
}

/// A sink or source of a card, with the properties from the session manager's ALSA or BlueZ monitor.
package struct DeskNode: Sendable, Equatable {
  /// `card.profile.device`.
  package var device: Int
  /// Output for a sink, input for a source.
  package var direction: DeskRoute.Direction
  /// `node.name`.
  package var name: String
  /// `audio.position`.
  package var positions: [String]
  /// Frames per second of the hardware; nil for the graph's.
  package var rate: Int?
  /// `priority.session` and `priority.driver`.
  package var priority: Int
  /// Further properties.
  package var properties: Properties
  /// Whether it is only for the session manager's own loopback: not to be chosen, and not listed.
  package var isInternal = false

  /// Creates a node; `properties` are additional to those made from the other parameters.
  package init(
    device: Int, _ direction: DeskRoute.Direction, name: String, positions: [String], rate: Int? = nil, priority: Int,
    properties: Properties = [:]
  ) {
    self.device = device
    self.direction = direction
    self.name = name
    self.positions = positions
    self.rate = rate
    self.priority = priority
    self.properties = properties
  }

  /// `media.class`. With "Virtual" in it, a source has input ports; a real internal one has the class without.
  var mediaClass: String {
    direction == .output ? "Audio/Sink" : isInternal ? "Audio/Source/Internal/Virtual" : "Audio/Source/Virtual"
  }

  /// Its ports once the session manager has set it up. A source's `input_…` receive the room's sound.
  var ports: [String] {
    let prefixes = direction == .output ? ["playback", "monitor"] : ["input", "capture"]
    return prefixes.flatMap { prefix in positions.map { "\(name):\(prefix)_\($0)" } }
  }
}
