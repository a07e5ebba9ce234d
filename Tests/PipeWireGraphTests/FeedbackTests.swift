import Testing

@testable import PipeWireClient
@testable import PipeWireGraph

@Suite("Feedback")
struct FeedbackTests {
  private static func node(_ id: UInt32, _ name: String, _ mediaClass: String, client: Int) -> GlobalObject {
    GlobalObject(
      id: id, kind: .node, properties: ["node.name": name, "media.class": mediaClass, "client.id": "\(client)", "object.serial": "\(id)"])
  }
  private static func link(_ id: UInt32, _ output: UInt32, _ input: UInt32) -> GlobalObject {
    GlobalObject(
      id: id, kind: .link,
      properties: [
        "link.output.node": "\(output)", "link.input.node": "\(input)", "link.output.port": "\(output * 10)",
        "link.input.port": "\(input * 10)",
      ])
  }

  private static let nodes = [
    node(1, "nearend", "", client: 100), node(2, "nearend.speaker", "Audio/Sink", client: 100),
    node(3, "nearend.microphone", "Audio/Source/Virtual", client: 100), node(10, "hw.speaker", "Audio/Sink", client: 101),
    node(11, "hw.mic", "Audio/Source", client: 101), node(20, "loopback.in", "Stream/Input/Audio", client: 102),
    node(21, "loopback.out", "Stream/Output/Audio", client: 102), node(30, "effect", "Audio/Source", client: 103),
    node(31, "effect.in", "Stream/Input/Audio", client: 104),
  ]

  private func names(_ direction: Bool, _ objects: GraphObjects) -> [String] {
    RealDevices(objects).nodes(direction ? .output : .input).compactMap(\.nodeName)
  }

  @Test("R1: a loopback of two streams forwards sound; an application that records and plays does not")
  func twoStreams() {
    var objects = GraphObjects(Self.nodes + [Self.link(40, 10, 20), Self.link(41, 21, 2)])
    #expect(names(true, objects) == ["hw.speaker"])
    objects.linkGroups = [20: "loopback-1", 21: "loopback-2"]
    #expect(names(true, objects) == ["hw.speaker"])
    objects.linkGroups = [20: "loopback-1", 21: "loopback-1"]
    #expect(names(true, objects).isEmpty)
  }

  @Test("R1: the voice that a program forwards into nearend is a loop; one that an application hears and answers is none")
  func loops() {
    var objects = GraphObjects(Self.nodes + [Self.link(40, 3, 20), Self.link(41, 21, 2)])
    #expect(FeedbackGuard(objects).loops.isEmpty)
    objects.linkGroups = [20: "loopback", 21: "loopback"]
    #expect(FeedbackGuard(objects).loops == [GraphLoop(source: 3, stream: 21, sink: 2)])
    // The daemon itself sees a loop of links alone, through one node.
    #expect(FeedbackGuard(GraphObjects(Self.nodes + [Self.link(40, 3, 20), Self.link(41, 20, 2)])).loops.isEmpty)
  }

  @Test("R1: a loop may lead through several programs and devices")
  func longLoop() {
    var objects = GraphObjects(Self.nodes + [Self.link(40, 3, 31), Self.link(41, 30, 20), Self.link(42, 21, 2), Self.link(43, 21, 10)])
    objects.linkGroups = [31: "effect", 30: "effect"]
    #expect(FeedbackGuard(objects).loops.isEmpty)
    objects.linkGroups = [31: "effect", 30: "effect", 20: "loopback", 21: "loopback"]
    #expect(FeedbackGuard(objects).loops == [GraphLoop(source: 3, stream: 21, sink: 2)])
    // What the real speaker plays comes back over the air, not within a cycle.
    objects = GraphObjects(Self.nodes + [Self.link(40, 3, 20), Self.link(41, 21, 10), Self.link(42, 10, 1)])
    objects.linkGroups = [20: "loopback", 21: "loopback"]
    #expect(FeedbackGuard(objects).loops.isEmpty)
  }

  @Test("R1: a loop may lead through another of nearend's sinks, or begin at the sink that it ends in")
  func loopThroughSinks() {
    let sink = Self.node(4, "nearend.sink.alice", "Audio/Sink", client: 100)
    let again = [
      Self.node(22, "again.in", "Stream/Input/Audio", client: 106), Self.node(23, "again.out", "Stream/Output/Audio", client: 106),
    ]
    let groups: [UInt32: String] = [20: "loopback", 21: "loopback", 22: "again", 23: "again"]
    func loops(_ links: (UInt32, UInt32)...) -> [GraphLoop] {
      var objects = GraphObjects(Self.nodes + again + [sink] + links.enumerated().map { Self.link(40 + UInt32($0), $1.0, $1.1) })
      objects.linkGroups = groups
      return FeedbackGuard(objects).loops
    }
    // Cutting off the first sink alone would leave the other loop.
    let voice = GraphLoop(source: 3, stream: 21, sink: 4)
    #expect(loops((3, 20), (21, 4), (4, 22), (23, 2)) == [voice, GraphLoop(source: 3, stream: 23, sink: 2)])
    #expect(loops((2, 20), (21, 2)) == [GraphLoop(source: 2, stream: 21, sink: 2)])
    #expect(loops((2, 20), (21, 4), (4, 22), (23, 2)).map(\.sink) == [4, 2])
    // One sink that plays into another is none.
    #expect(loops((4, 20), (21, 2)).isEmpty)
  }

  @Test("R1: an echo canceller between nearend's devices is no loop: its two ways do not meet, unless its source is played into its sink")
  func canceller() {
    let nodes = [
      Self.node(50, "ec.capture", "Stream/Input/Audio", client: 107), Self.node(51, "ec.source", "Audio/Source", client: 107),
      Self.node(52, "ec.sink", "Audio/Sink", client: 107), Self.node(53, "ec.playback", "Stream/Output/Audio", client: 107),
    ]
    func loops(_ links: [GlobalObject]) -> [GraphLoop] {
      var objects = GraphObjects(Self.nodes + nodes + [Self.link(40, 3, 50), Self.link(41, 53, 2)] + links)
      objects.linkGroups = [50: "ec", 51: "ec", 52: "ec", 53: "ec", 20: "loopback", 21: "loopback"]
      return FeedbackGuard(objects).loops
    }
    #expect(loops([]).isEmpty)
    #expect(loops([Self.link(42, 51, 20), Self.link(43, 21, 52)]) == [GraphLoop(source: 3, stream: 53, sink: 2)])
  }

  @Test("R1: the group counts even if the ends belong to different clients")
  func acrossClients() {
    var objects = GraphObjects(Self.nodes + [Self.link(40, 3, 31)])
    #expect(names(false, objects) == ["hw.mic", "effect"])
    objects.linkGroups = [31: "effect", 30: "effect"]
    #expect(names(false, objects) == ["hw.mic"])
  }

  @Test("X1: a foreign node with the name of one of nearend's devices is no way back into nearend")
  func impostor() {
    let impostors = [
      Self.node(50, "nearend.speaker", "Audio/Sink", client: 105), Self.node(51, "nearend.microphone", "Audio/Source", client: 105),
    ]
    var objects = GraphObjects(Self.nodes + impostors + [Self.link(40, 10, 20), Self.link(41, 21, 50)])
    objects.linkGroups = [20: "g", 21: "g"]
    #expect(names(true, objects).isEmpty)
    objects.own = .init(filter: 1, microphone: 3, sinks: [2])
    #expect(names(true, objects) == ["hw.speaker"])
    // The impostor is not a usable device, either.
    #expect(names(false, objects) == ["hw.mic", "effect"])
  }
}
