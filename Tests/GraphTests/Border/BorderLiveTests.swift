import CHostileClient
import DashboardView
import Foundation
import PipeWireGraph
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import Nearend
@testable import NearendCommand
@testable import PipeWireClient
@testable import SimulatedHardware

extension GraphTests {
  /// Sets anything that a peer in the session can set, with a live nearend.
  @Suite("Border", .serialized)
  struct Border {
    @Test("X1: an absurd volume set by a peer is drawn like any other", arguments: ["1e39", "-1e39", "nan", "-1"])
    func volume(_ value: String) throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      // PipeWire 1.4 reports what was set on a suspended node only once it runs.
      let recorder = try live.session.spawn("parec", ["--device=nearend.microphone"])
      defer { recorder.end() }
      try live.wait(for: "the recorder") { $0.graph.cycles > 0 }
      _ = try live.session.run("pw-cli", "set-param", "nearend.microphone", "Props", "{ channelVolumes: [ \(value) ] }")
      _ = try live.session.run("pw-cli", "set-param", "nearend.microphone", "Props", "{ mute: true }")
      try live.wait(for: "what was set") { $0.route.volumes.nearendMicrophone.isMuted }
      let snapshot = live.service.snapshot()
      #expect((0...5).contains(snapshot.route.volumes.nearendMicrophone.volume))
      for page in Page.allCases {
        var state = ViewState()
        state.page = page
        _ = Frame(drawing: snapshot, size: Size(width: 100, height: 30), state: state)
      }
      #expect(!StatusText(snapshot).lines.isEmpty && !live.service.diagnostics().isEmpty)
    }

    @Test("X1: a foreign node or metadata object takes neither nearend's place nor the session manager's, whatever its name")
    func names() throws {
      let session = try LiveGraph.ownSession()
      defer { session.end() }
      let client = try #require(hc_connect(session.socket))
      defer { hc_disconnect(client) }
      let node = addHostileNode(["node.name": "nearend"], to: client)
      let metadata = hc_add_metadata(client, "default")
      defer { hc_remove_metadata(metadata) }
      hc_tell_metadata(metadata, 0, "default.audio.sink", "Spa:String:JSON", "{\"name\":\"nowhere\"}")
      try session.wait(for: "the impostor") { try session.run("pw-cli", "ls", "Node").output.contains("\"nearend\"") }
      try session.wait(for: "two metadata objects") {
        try session.run("pw-cli", "ls", "Metadata").output.components(separatedBy: "\"default\"").count == 3
      }
      let live = try LiveGraph(.hardware, in: session)
      defer {
        hc_remove_node(node)
        live.stop()
      }
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try live.wait(for: "the call") { $0.graph.captureLinks == 1 && $0.graph.renderLinks == 2 }
      try live.wait(for: "the session manager's default") { $0.route.devices.contains { $0.isDefault } }
      #expect(throws: GraphError.alreadyRunning(pid: Int(getpid()))) {
        try NearendService(NearendOptions(graph: GraphOptions(remote: session.socket))).start()
      }
    }

    @Test("X1: objects that a full registry omitted are seen once there is room again")
    func registry() throws {
      let session = try LiveGraph.ownSession()
      defer { session.end() }
      let client = try #require(hc_connect(session.socket))
      defer { hc_disconnect(client) }
      let loop = ThreadLoop(name: "registry")
      try loop.start()
      let full = Tally()
      var connection: Connection?
      defer {
        loop.stop()
        connection = nil
      }
      connection = try loop.locked { () throws(PipeWireError) in
        try Connection(loop: loop, remote: session.socket, properties: [:], mostObjects: 100) {
          if case .full = $0 { full.add() }
        }
      }
      func names() -> [String] { loop.locked { connection?.objects.values.compactMap { $0.properties["device.name"] } ?? [] } }
      for _ in 0..<2 {
        let crowd = (0..<120).map { HostileCard.add("card \($0)", to: client) }
        try session.wait(for: "the registry to be full") {
          loop.locked { connection?.objects.count } == 100 && full.count > 0
        }
        let late = HostileCard.add("late", to: client)
        try session.wait(for: "the late card") { try session.run("pw-cli", "ls", "Device").output.contains("\"late\"") }
        #expect(!names().contains("late"))
        for card in crowd { hc_remove_device(card) }
        try session.wait(for: "what was left out") { names() == ["late"] }
        hc_remove_device(late)
        try session.wait(for: "its end") { names().isEmpty }
      }
      #expect(full.count == 1, "told once")
    }

    @Test("X1: an endless number of cards is queried up to a limit, logged once, without harming the call")
    func cards() throws {
      let session = try LiveGraph.ownSession()
      defer { session.end() }
      let live = try LiveGraph(.hardware, in: session)
      defer { live.stop() }
      _ = live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      let client = try #require(hc_connect(session.socket))
      defer { hc_disconnect(client) }
      let devices = (0..<100).map { number in HostileCard.add("card \(number)", to: client) }
      defer { for device in devices { hc_remove_device(device) } }
      func remarks() -> [LogEntry] { live.service.snapshot().log.filter { $0.message.contains("too many sound cards") } }
      try session.wait(for: "the remark") { !remarks().isEmpty }
      try session.wait(for: "all of them") {
        try session.run("pw-cli", "ls", "Device").output.components(separatedBy: "device.name = \"card").count > 100
      }
      try live.wait(for: "the call") { $0.graph.captureLinks == 1 && $0.graph.renderLinks == 2 }
      #expect(remarks().count == 1)
    }
  }
}

/// A card without profiles or ports.
enum HostileCard {
  static func add(_ name: String, to client: OpaquePointer) -> OpaquePointer? {
    addHostileCard(["media.class": "Audio/Device", "device.name": name], to: client)
  }
}

/// A class, because Swift 6.0 reports a mutex shared by two closures as copied.
private final class Tally: Sendable {
  private let total = Mutex(0)
  var count: Int { total.withLock { $0 } }
  func add() { total.withLock { $0 += 1 } }
}
