import Testing

@testable import PipeWireClient
@testable import PipeWireGraph

/// The registry's objects as nodes and ports.
@Suite("Objects of the graph") struct GraphObjectsTests {
  @Test("V15: a microphone's channels are in the device's own order, though ids of what has gone are given to new ports")
  func order() {
    let channels: [UInt32: (String, Int)] = [41: ("AUX2", 2), 57: ("AUX0", 0), 63: ("AUX1", 1)]
    let objects = GraphObjects(
      channels.map { id, channel in
        GlobalObject(
          id: id, kind: .port,
          properties: [
            "node.id": "10", "port.name": "capture_\(channel.0)", "port.id": "\(channel.1)", "audio.channel": channel.0,
            "port.direction": "out",
          ])
      })
    #expect(objects.outputs(of: 10).map(\.channel) == ["AUX0", "AUX1", "AUX2"])
  }
}
