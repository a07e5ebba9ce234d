import RealtimeCore
import SessionModel

@testable import PipeWireClient
@testable import PipeWireGraph

/// A graph with nearend, a card and an application, as the daemon's registry lists it.
struct DeskGraph {
  /// Links between ports, by the ids below.
  var links: [(output: UInt32, input: UInt32)] = []
  var hasFilterPorts = true
  var reference = ReferenceSource.everything
  /// Of the microphone, besides the one it has.
  var furtherChannels = 0

  static let (filter, nearendSpeaker, nearendMicrophone): (UInt32, UInt32, UInt32) = (1, 2, 3)
  static let (card, microphone, application): (UInt32, UInt32, UInt32) = (10, 11, 20)

  /// Ports by id: node, name, channel, whether it is an input, and whether it is a monitor.
  private static let ports: [UInt32: (UInt32, String, String, Bool, Bool)] = [
    100: (filter, "mic_MONO", "MONO", true, false), 101: (filter, "ref_FL", "FL", true, false), 102: (filter, "ref_FR", "FR", true, false),
    103: (filter, "call_FL", "FL", true, false), 104: (filter, "call_FR", "FR", true, false),
    105: (filter, "voice_MONO", "MONO", false, false), 106: (filter, "speaker_FL", "FL", false, false),
    107: (filter, "speaker_FR", "FR", false, false),
    120: (nearendSpeaker, "monitor_FL", "FL", false, true), 121: (nearendSpeaker, "monitor_FR", "FR", false, true),
    130: (nearendMicrophone, "input_MONO", "MONO", true, false),
    200: (card, "playback_FL", "FL", true, false), 201: (card, "playback_FR", "FR", true, false),
    202: (card, "monitor_FL", "FL", false, true), 203: (card, "monitor_FR", "FR", false, true),
    210: (microphone, "capture_MONO", "MONO", false, false), 220: (application, "input_MONO", "MONO", true, false),
  ]
  static let fixedLinks: [(output: UInt32, input: UInt32)] = [(105, 130), (120, 103), (121, 104)]
  static let speakerLinks: [(output: UInt32, input: UInt32)] = [(106, 200), (107, 201)]
  static let microphoneLinks: [(output: UInt32, input: UInt32)] = [(210, 100)]
  static let referenceLinks: [(output: UInt32, input: UInt32)] = [(202, 101), (203, 102)]
  static let allLinks = fixedLinks + speakerLinks + microphoneLinks + referenceLinks

  var facts: GraphFacts {
    func node(_ id: UInt32, _ name: String, _ mediaClass: String) -> GlobalObject {
      GlobalObject(
        id: id, kind: .node, properties: ["node.name": name, "media.class": mediaClass, "object.serial": "\(id)", "client.id": "\(id)"])
    }
    var registry = [
      node(Self.filter, "nearend", ""), node(Self.nearendSpeaker, "nearend.speaker", "Audio/Sink"),
      node(Self.nearendMicrophone, "nearend.microphone", "Audio/Source/Virtual"), node(Self.card, "hw.speaker", "Audio/Sink"),
      node(Self.microphone, "hw.mic", "Audio/Source"), node(Self.application, "parec", "Stream/Input/Audio"),
    ]
    for (id, (node, name, channel, isInput, isMonitor)) in Self.ports where hasFilterPorts || node != Self.filter {
      registry.append(
        GlobalObject(
          id: id, kind: .port,
          properties: [
            "node.id": "\(node)", "port.name": name, "audio.channel": channel, "port.direction": isInput ? "in" : "out",
            "port.monitor": "\(isMonitor)",
          ]))
    }
    for channel in 0..<furtherChannels {
      let properties = ["node.id": "\(Self.microphone)", "port.name": "capture_AUX\(channel + 1)", "port.direction": "out"]
      registry.append(GlobalObject(id: 300 + UInt32(channel), kind: .port, properties: properties))
    }
    for (index, link) in links.enumerated() {
      registry.append(
        GlobalObject(
          id: 1_000 + UInt32(index), kind: .link,
          properties: [
            "link.output.port": "\(link.output)", "link.input.port": "\(link.input)",
            "link.output.node": "\(Self.ports[link.output]?.0 ?? 0)", "link.input.node": "\(Self.ports[link.input]?.0 ?? 0)",
          ]))
    }
    return GraphFacts(
      objects: GraphObjects(registry),
      endpoints: LinkPlan.Endpoints(
        filter: Self.filter, virtualSpeaker: Self.nearendSpeaker, virtualMicrophone: Self.nearendMicrophone))
  }

  static let speakerDevice = RouteDevice(
    id: card, serial: 10, direction: .output, port: RoutePort(name: "hw.speaker"), available: [PortId(node: "hw.speaker")])
  static let microphoneDevice = RouteDevice(
    id: microphone, serial: 11, direction: .input, port: RoutePort(name: "hw.mic"), available: [PortId(node: "hw.mic")])
  static let both = RouteChoice(microphone: microphoneDevice, speaker: speakerDevice)
}
