import PipeWireClient
import SessionModel

/// Selects the real devices (R1): by name; never nearend's own, never a monitor, never one whose sound comes back.
struct RealDevices {
  /// The names that a person picked; nil follows the session manager's default.
  var pickedMicrophone: String?
  var pickedSpeaker: String?
  /// The devices used last, a fallback when nothing better is known.
  private(set) var lastMicrophone: String?
  private(set) var lastSpeaker: String?

  /// The devices in use, as nodes of the graph.
  struct Choice: Equatable {
    var microphone: GlobalObject?
    var speaker: GlobalObject?
  }

  private static let inputClasses: Set = ["Audio/Source", "Audio/Source/Virtual", "Audio/Duplex"]
  private static let outputClasses: Set = ["Audio/Sink", "Audio/Duplex"]

  /// What the choice depends on besides a person's picks.
  struct Circumstances {
    /// The values of the metadata object "default".
    var defaults: [String: String] = [:]
    /// The configured defaults before nearend's, by direction.
    var configured: [Device.Direction: String] = [:]
    /// The speaker in use while it changes its profile: the session's default will return to it.
    var heldSpeaker: String?
    /// The known ports; nil if none are.
    var ports: PortWatch?
  }

  /// Returns every device that could be chosen, by name.
  static func candidates(in objects: GraphObjects, _ now: Circumstances) -> [Device] {
    [Device.Direction.output, .input].flatMap { direction in
      nodes(direction, in: objects).map { node in
        let port = now.ports?.port(node, direction)
        return Device(
          name: node.nodeName ?? "", description: node.properties["node.description"] ?? node.nodeName ?? "", direction: direction,
          isDefault: node.nodeName == defaultName(direction, now.defaults), portType: port?.portType ?? .other,
          portDescription: port?.portDescription ?? "", availability: port?.availability ?? .unknown)
      }
    }
  }

  /// Chooses, and remembers the choice.
  mutating func choose(in objects: GraphObjects, _ now: Circumstances) -> Choice {
    let speaker = Self.best(.output, picked: pickedSpeaker, last: lastSpeaker, in: objects, now)
    var microphone = Self.best(.input, picked: pickedMicrophone, last: lastMicrophone, in: objects, now)
    // A headset in a call has both directions of the call, whatever the session's default source is (R6).
    if let speaker, pickedMicrophone == nil, now.ports?.port(speaker, .output).portType == .bluetoothHFP, let card = speaker.id("device.id")
    {
      microphone = Self.nodes(.input, in: objects).last { $0.id("device.id") == card } ?? microphone
    }
    lastMicrophone = microphone?.nodeName ?? lastMicrophone
    lastSpeaker = speaker?.nodeName ?? lastSpeaker
    return Choice(microphone: microphone, speaker: speaker)
  }

  /// Returns the best device: the pick, the session manager's default, the user's configured default, the last one used, the highest
  /// priority, in this order. While nearend's is the default, what would be it otherwise; the last one used does not count then. Devices
  /// with nothing plugged in come last, unless picked.
  private static func best(
    _ direction: Device.Direction, picked: String?, last: String?, in objects: GraphObjects, _ now: Circumstances
  ) -> GlobalObject? {
    let nodes = nodes(direction, in: objects)
    if let picked, let node = nodes.last(where: { $0.nodeName == picked }) { return node }
    let plugged = nodes.filter { now.ports?.isUnplugged($0, direction) != true }
    let held = direction == .output ? now.heldSpeaker : nil
    let current = defaultName(direction, now.defaults)
    let isOurs = current.map(NodeNames.isOurs) ?? false
    let wanted = isOurs ? [held, now.configured[direction]] : [held, current, now.configured[direction], last]
    for name in wanted.compactMap({ $0 }) {
      if let node = plugged.last(where: { $0.nodeName == name }) { return node }
    }
    func rank(_ node: GlobalObject) -> (Int, Int) { (priority(node), node.nodeName == last ? 1 : 0) }
    return (plugged.isEmpty ? nodes : plugged).max { rank($0) < rank($1) }
  }

  /// Nodes that sound of `direction` can come from or go to without feedback.
  static func nodes(_ direction: Device.Direction, in objects: GraphObjects) -> [GlobalObject] {
    let classes = direction == .input ? inputClasses : outputClasses
    let feedback = FeedbackGuard(objects)
    return objects.nodes.filter { node in
      guard let name = node.nodeName, let mediaClass = node.properties["media.class"] else { return false }
      guard classes.contains(mediaClass), !NodeNames.isOurs(name) else { return false }
      return direction == .input ? !feedback.feeds(node) : !feedback.isFed(by: node)
    }
  }

  private static func priority(_ node: GlobalObject) -> Int { node.properties["priority.session"].flatMap { Int($0) } ?? 0 }

  private static func defaultName(_ direction: Device.Direction, _ defaults: [String: String]) -> String? {
    Metadata.name(in: defaults[direction == .input ? "default.audio.source" : "default.audio.sink"])
  }
}

extension Device.Direction {
  /// The metadata key of the configured default.
  var configuredKey: String { self == .input ? "default.configured.audio.source" : "default.configured.audio.sink" }
}
