import Nearend
import PipeWireClient
import SessionModel
import Testing

@testable import SimulatedHardware

/// A node with one port that reports a latency, like a device's; the simulated ones have none.
private final class LateNode {
  private let loop = ThreadLoop(name: "late")
  private var connection: Connection?
  private var filter: Filter?
  private var port: FilterPort?
  private let direction: Filter.Direction
  let portName: String

  init(_ session: PrivateSession, _ name: String, _ direction: Filter.Direction) throws {
    self.direction = direction
    portName = "\(name):port"
    try loop.start()
    try loop.locked { () throws(PipeWireError) in
      let connection = try Connection(loop: loop, remote: session.socket, properties: ["application.name": name]) { _ in }
      let properties = ["node.group": SimulatedDevice.group]
      let filter = try Filter(connection, name: name, properties: properties, data: nil, process: { _, _ in }, handler: { _ in })
      port = try filter.addPort(direction, name: "port")
      try filter.connect(reportsLatency: true)
      connection.roundTrip()
      (self.connection, self.filter) = (connection, filter)
    }
  }

  deinit {
    loop.stop()
    loop.locked { (filter, connection) = (nil, nil) }
  }

  /// Reports the port's latency: downstream of an input, upstream of an output.
  func publish(_ latency: Filter.Latency) {
    loop.locked {
      if let filter, let port { filter.setLatency(latency, of: port, direction: direction) }
    }
  }
}

extension GraphTests {
  @Suite("Stream delay", .serialized)
  struct StreamDelay {
    @Test("V5: the stream delay is the reported latency out through the speaker and back in through the microphone, and follows it")
    func follows() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      let probe = try live.probe("far", play: ["left": []], record: ["voice"], frames: 480)
      let (speaker, microphone) = (try LateNode(live.session, "late.out", .input), try LateNode(live.session, "late.in", .output))
      try live.link([
        (probe.playPort("left"), "nearend.speaker:playback_FL"), ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
        ("nearend:speaker_FL", speaker.portName), (microphone.portName, "nearend:mic_MONO"),
      ])
      func wait(for what: String, milliseconds: Double) throws {
        var told = 0.0
        try live.session.wait(for: "\(what): \(milliseconds) ms", detail: { "it is \(told) ms" }) {
          told = live.service.snapshot().processing.streamDelay
          return abs(told - milliseconds) < 0.05
        }
      }
      try wait(for: "nothing is told", milliseconds: 0)
      speaker.publish(.init(frames: 960))
      try wait(for: "frames behind the speaker", milliseconds: 20)
      microphone.publish(.init(nanoseconds: 5_000_000))
      try wait(for: "and time before the microphone", milliseconds: 25)
      speaker.publish(.init(quanta: 1.5, frames: 96))
      try wait(for: "quanta, too: 384 frames, 96 and 5 ms", milliseconds: 15)
      speaker.publish(.init())
      microphone.publish(.init())
      try wait(for: "nothing again", milliseconds: 0)
      withExtendedLifetime(probe) {}
    }
  }
}
