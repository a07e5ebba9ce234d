import Nearend
import PipeWireGraph
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// Programs that play *Nearend Microphone* back into nearend.
  @Suite("Loops", .serialized)
  struct Loops {
    private static let callLinks = Array(LiveGraph.fixedLinks.prefix(2))

    private func startCall(_ live: LiveGraph) throws {
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try live.wait(for: "the call") { $0.graph.captureLinks == 1 && $0.graph.renderLinks == 2 && $0.graph.cycles > 10 }
    }

    /// Waits until the graph has run for some 50 cycles from now.
    private func waitForCycles(_ live: LiveGraph) throws {
      let before = live.service.snapshot().graph.cycles
      try live.wait(for: "cycles") { $0.graph.cycles > before + 50 }
    }

    @Test("R1: hear myself: a loopback between nearend's devices does not stop the graph, and is heard on the real speaker")
    func hearMyself() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      try startCall(live)
      let loopback = try live.session.spawn(
        "pw-loopback",
        [
          "-C", "nearend.microphone", "-P", "nearend.speaker", "--capture-props", "node.name=loop.in", "--playback-props",
          "node.name=loop.out",
        ])
      try live.session.wait(for: "the loopback to play into the real speaker alone") {
        let links = try live.session.links().keys.filter { $0.from.hasPrefix("loop.out:") }
        return !links.isEmpty && links.allSatisfy { $0.to.hasPrefix("hw.speaker:") }
      }
      try waitForCycles(live)
      try live.wait(for: "no loop") { $0.graph.loops.isEmpty }
      try live.wait(forActive: LiveGraph.fixedLinks)
      let log = live.service.snapshot().log.map(\.message)
      #expect(log.contains { $0.hasPrefix("loop.out plays Nearend Microphone back into nearend.speaker") }, "\(log)")
      loopback.end()
    }

    @Test("R1: a loop that cannot be moved costs the sink that it plays into, not the graph, and is named until it ends")
    func cutOff() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      try startCall(live)
      func properties(_ name: String) -> String { "node.name=\(name) node.autoconnect=false audio.channels=1 audio.position=MONO" }
      let loopback = try live.session.spawn(
        "pw-loopback", ["--capture-props", properties("loop.in"), "--playback-props", properties("loop.out")])
      let loop = [("nearend.microphone:capture_MONO", "loop.in:input_MONO"), ("loop.out:output_MONO", "nearend.speaker:playback_FL")]
      try live.session.wait(forPorts: loop.flatMap { [$0.0, $0.1] })
      for (from, to) in loop { _ = try live.session.run("pw-link", from, to) }
      try live.wait(for: "the loop to be named") { $0.graph.loops == ["loop.out"] }
      try live.session.wait(for: "the sink to be cut off") {
        let links = try live.session.links()
        return Self.callLinks.allSatisfy { links[.init(from: $0.0, to: $0.1)] == nil }
      }
      try waitForCycles(live)
      loopback.end()
      try live.wait(forActive: LiveGraph.fixedLinks)
      try live.wait(for: "no loop") { $0.graph.loops.isEmpty }
    }
  }
}
