import Foundation
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
      #expect(log.contains("loop.out is moved to hw.speaker: you hear yourself there"), "\(log)")
      loopback.end()
    }

    @Test("R1: hear myself goes over to the next speaker if the one that it was moved to vanishes")
    func hearMyselfElsewhere() throws {
      let usb = "alsa_output.usb-Simulated_USB_Headset-00.analog-stereo"
      let live = try LiveGraph(.desk([.laptop, .usb]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      // So that what has lost its device falls back on nearend's.
      live.service.perform(.set(.defaultDevices, true))
      live.service.perform(.set(.speaker, .string(usb)))
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try live.wait(for: "the call") { $0.route.current.outputs.first?.name == usb && $0.graph.renderLinks == 2 && $0.graph.cycles > 10 }
      let loopback = try live.session.spawn(
        "pw-loopback",
        [
          "-C", "nearend.microphone", "-P", "nearend.speaker", "--capture-props", "node.name=loop.in", "--playback-props",
          "node.name=loop.out",
        ])
      defer { loopback.end() }
      func waitForLoopback(on speaker: String) throws {
        try live.session.wait(for: "the loopback to play into \(speaker) alone") {
          let links = try live.session.links().keys.filter { $0.from.hasPrefix("loop.out:") }
          return !links.isEmpty && links.allSatisfy { $0.to.hasPrefix("\(speaker):") }
        }
      }
      try waitForLoopback(on: usb)
      desk.unplug(.usb)
      try waitForLoopback(on: "alsa_output.pci-0000_00_1f.3.analog-stereo")
      try live.wait(for: "no loop") { $0.graph.loops.isEmpty }
      try live.wait(forActive: LiveGraph.fixedLinks)
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

    @Test("R1: an echo canceller between nearend's devices is no loop, and stays where it was put")
    func canceller() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      try startCall(live)
      // Not in a server that goes on: where the module is unloaded, its audio thread may use streams that are gone (0.3.65 to 1.6).
      let canceller = try live.session.spawn(
        module: "libpipewire-module-echo-cancel", named: "canceller",
        """
        audio.channels = 1  audio.position = [ MONO ]
        capture.props = { node.name = echo-cancel-capture  target.object = nearend.microphone }
        source.props = { node.name = echo-cancel-source }
        sink.props = { node.name = echo-cancel-sink }
        playback.props = { node.name = echo-cancel-playback  target.object = nearend.speaker }
        """)
      defer { canceller.end() }
      let own = [
        ("nearend.microphone:capture_MONO", "echo-cancel-capture:input_MONO"),
        ("echo-cancel-playback:output_FL", "nearend.speaker:playback_FL"),
      ]
      try live.wait(forLinks: own)
      try waitForCycles(live)
      try live.wait(forLinks: own)
      let log = live.service.snapshot().log.map(\.message)
      #expect(!log.contains { $0.contains("back into nearend") }, "\(log)")
    }

    /// A loop that nobody can move.
    enum Way: CaseIterable {
      /// Through a program whose ends are both devices.
      case cable
      /// Through a participant's device, into another sink.
      case sink
      /// What *Nearend Speaker* plays, into itself.
      case monitor

      private func loopback(_ name: String, _ capture: String, _ playback: String) -> [String] {
        func end(_ end: String, _ more: String) -> String { "node.name=\(name).\(end) audio.channels=1 audio.position=MONO \(more)" }
        return ["--capture-props", end("in", capture), "--playback-props", end("out", playback)]
      }

      /// Arguments of `pw-loopback`, for each program.
      fileprivate var programs: [[String]] {
        let monitors = "node.autoconnect=false stream.capture.sink=true"
        switch self {
        case .cable: return [loopback("loop", "media.class=Audio/Sink", "media.class=Audio/Source")]
        case .sink:
          return [
            loopback("loop", "node.autoconnect=false", "node.autoconnect=false"), loopback("again", monitors, "node.autoconnect=false"),
          ]
        case .monitor: return [loopback("loop", monitors, "node.autoconnect=false")]
        }
      }

      fileprivate var links: [(String, String)] {
        switch self {
        case .cable:
          [("nearend.microphone:capture_MONO", "loop.in:playback_MONO"), ("loop.out:capture_MONO", "nearend.speaker:playback_FL")]
        case .sink:
          [
            ("nearend.microphone:capture_MONO", "loop.in:input_MONO"), ("loop.out:output_MONO", "nearend.sink.alice:playback_FL"),
            ("nearend.sink.alice:monitor_FL", "again.in:input_MONO"), ("again.out:output_MONO", "nearend.speaker:playback_FL"),
          ]
        case .monitor: [("nearend.speaker:monitor_FL", "loop.in:input_MONO"), ("loop.out:output_MONO", "nearend.speaker:playback_FL")]
        }
      }

      fileprivate var names: [String] { self == .sink ? ["again.out", "loop.out"] : ["loop.out"] }
    }

    @Test(
      "R1: a loop through devices, through another of nearend's sinks or of a sink's own monitor stops nothing", arguments: Way.allCases)
    func ways(_ way: Way) throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      if way == .sink { try live.service.addGraphSink(id: "alice") }
      try startCall(live)
      let programs = try way.programs.map { try live.session.spawn("pw-loopback", $0) }
      defer { for program in programs { program.end() } }
      try live.session.wait(forPorts: way.links.flatMap { [$0.0, $0.1] })
      for (from, to) in way.links { _ = try live.session.run("pw-link", from, to) }
      try live.wait(for: "the loop to be named") { $0.graph.loops == way.names }
      try waitForCycles(live)
      for program in programs { program.end() }
      try live.wait(forActive: LiveGraph.fixedLinks)
      try live.wait(for: "no loop") { $0.graph.loops.isEmpty }
      #expect(live.service.snapshot().session.interruption == nil)
    }
  }
}
