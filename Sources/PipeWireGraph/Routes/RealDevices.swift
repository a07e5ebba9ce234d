import Foundation
import PipeWireClient
import SessionModel

/// Which devices could be used, and which are (R1): chosen by name, never nearend's own, never a monitor, never one whose sound comes back.
struct RealDevices {
  /// Names that a person picked; nil follows the session manager's default.
  var pickedMicrophone: String?
  var pickedSpeaker: String?
  /// The last ones used, kept while there is no better answer.
  private(set) var lastMicrophone: String?
  private(set) var lastSpeaker: String?

  /// The devices in use, as nodes of the graph.
  struct Choice: Equatable {
    var microphone: GlobalObject?
    var speaker: GlobalObject?
  }

  private static let inputClasses: Set = ["Audio/Source", "Audio/Source/Virtual", "Audio/Duplex"]
  private static let outputClasses: Set = ["Audio/Sink", "Audio/Duplex"]

  /// Every device that could be chosen, by name. `defaults` are the values of the metadata object "default".
  static func candidates(in objects: GraphObjects, defaults: [String: String]) -> [Device] {
    Device.Direction.allDirections.flatMap { direction in
      nodes(direction, in: objects).map { node in
        Device(
          name: node.nodeName ?? "", description: node.properties["node.description"] ?? node.nodeName ?? "", direction: direction,
          isDefault: node.nodeName == defaultName(direction, defaults))
      }
    }
  }

  /// Chooses, and remembers what it chose.
  mutating func choose(in objects: GraphObjects, defaults: [String: String]) -> Choice {
    let choice = Choice(
      microphone: Self.best(.input, picked: pickedMicrophone, last: lastMicrophone, in: objects, defaults: defaults),
      speaker: Self.best(.output, picked: pickedSpeaker, last: lastSpeaker, in: objects, defaults: defaults))
    lastMicrophone = choice.microphone?.nodeName ?? lastMicrophone
    lastSpeaker = choice.speaker?.nodeName ?? lastSpeaker
    return choice
  }

  /// In order: what was picked, the session manager's default, the default that the user configured, the last one used, the highest priority.
  private static func best(
    _ direction: Device.Direction, picked: String?, last: String?, in objects: GraphObjects, defaults: [String: String]
  ) -> GlobalObject? {
    let nodes = nodes(direction, in: objects)
    let wanted = [picked, defaultName(direction, defaults), configuredName(direction, defaults), last]
    for name in wanted.compactMap({ $0 }) {
      if let node = nodes.last(where: { $0.nodeName == name }) { return node }
    }
    return nodes.max { priority($0) < priority($1) }
  }

  private static func nodes(_ direction: Device.Direction, in objects: GraphObjects) -> [GlobalObject] {
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
    name(in: defaults[direction == .input ? "default.audio.source" : "default.audio.sink"])
  }

  private static func configuredName(_ direction: Device.Direction, _ defaults: [String: String]) -> String? {
    name(in: defaults[direction == .input ? "default.configured.audio.source" : "default.configured.audio.sink"])
  }

  /// The metadata's values are JSON: {"name":"alsa_output.…"}.
  private static func name(in json: String?) -> String? {
    guard let json else { return nil }
    struct Value: Decodable { var name: String }
    return try? JSONDecoder().decode(Value.self, from: Data(json.utf8)).name
  }
}

extension Device.Direction {
  fileprivate static let allDirections: [Self] = [.output, .input]
}
