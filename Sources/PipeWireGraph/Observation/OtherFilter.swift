import PipeWireClient
import SessionModel

/// Another program's filter with a device of its own, such as an equalizer with a sink: what the session manager may make a smart filter.
struct OtherFilter: Equatable {
  /// Its device.
  let node: UInt32
  /// The direction of the sound: `output` for a sink.
  let direction: Device.Direction
  /// The name by which other filters say that they come before or after it.
  let name: String
  let isSmart: Bool
  /// The properties of the device that it is a filter of; nil for the default, whichever it is.
  let target: [String: String]?

  /// Returns nil for a node that is no filter's device.
  init?(_ node: GlobalObject, _ properties: Properties) {
    guard let group = properties["node.link-group"], let direction = Self.direction(node.properties["media.class"]) else { return nil }
    (self.node, self.direction) = (node.id, direction)
    name = properties["filter.smart.name"] ?? group
    isSmart = properties["filter.smart"] == "true"
    target = properties["filter.smart.target"].map(Self.rules)
  }

  private static func direction(_ mediaClass: String?) -> Device.Direction? {
    guard let mediaClass else { return nil }
    return mediaClass.hasPrefix("Audio/Sink") ? .output : mediaClass.hasPrefix("Audio/Source") ? .input : nil
  }

  /// Whether programs that would use `device` by default go through this filter and on to the device, past a filter without a target.
  func takes(_ device: GlobalObject, _ direction: Device.Direction) -> Bool {
    guard isSmart, self.direction == direction, let target, !target.isEmpty else { return false }
    return target.allSatisfy { device.properties[$0.key] == $0.value }
  }

  /// Reads an object as PipeWire's configuration has it: { node.name = "alsa_output.…" }, or JSON. Empty if it is none.
  private static func rules(_ text: String) -> [String: String] {
    var words: [String] = []
    var word = ""
    var isQuoted = false
    func isSeparator(_ character: Character) -> Bool { character.isWhitespace || "{}=:,".contains(character) }
    for character in text {
      if character == "\"" {
        if isQuoted { words.append(word) }
        (word, isQuoted) = ("", !isQuoted)
      } else if isQuoted || !isSeparator(character) {
        word.append(character)
      } else if !word.isEmpty {
        words.append(word)
        word = ""
      }
    }
    if !word.isEmpty { words.append(word) }
    guard words.count.isMultiple(of: 2) else { return [:] }
    var rules: [String: String] = [:]
    for index in stride(from: 0, to: words.count, by: 2) { rules[words[index]] = words[index + 1] }
    return rules
  }
}
