import CHostileClient
import DashboardView
import Foundation
import SessionModel
import Testing

@testable import NearendCommand
@testable import SimulatedHardware

extension GraphTests {
  /// Sets anything that a peer in the session can set, with a live nearend.
  @Suite("Border", .serialized)
  struct Border {
    @Test("X1: an absurd volume set by a peer is drawn like any other", arguments: ["1e39", "-1e39", "nan", "-1"])
    func volume(_ value: String) throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
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

    @Test("X1: of cards without end so many are asked as a machine may have, which is told once, and the call goes on")
    func cards() throws {
      let session = try LiveGraph.ownSession()
      defer { session.end() }
      let live = try LiveGraph(.hardware, in: session)
      defer { live.stop() }
      _ = live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      let client = try #require(hc_connect(session.socket))
      defer { hc_disconnect(client) }
      let words = (["media.class", "Audio/Device", "device.name"] as [String]).map { UnsafePointer<CChar>(strdup($0)!) }
      defer { for word in words { free(UnsafeMutablePointer(mutating: word)) } }
      let devices = (0..<100).map { number in
        "card \(number)".withCString { name in
          hc_add_device(client, [hc_property(key: words[0], value: words[1]), hc_property(key: words[2], value: name)], 2, nil, 0)
        }
      }
      defer { for device in devices { hc_remove_device(device) } }
      func remarks() -> [LogEntry] { live.service.snapshot().log.filter { $0.message.contains("more cards") } }
      try session.wait(for: "the remark") { !remarks().isEmpty }
      try session.wait(for: "all of them") {
        try session.run("pw-cli", "ls", "Device").output.components(separatedBy: "device.name = \"card").count > 100
      }
      try live.wait(for: "the call") { $0.graph.captureLinks == 1 && $0.graph.renderLinks == 2 }
      #expect(remarks().count == 1)
    }
  }
}
