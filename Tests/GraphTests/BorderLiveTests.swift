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
  }
}
