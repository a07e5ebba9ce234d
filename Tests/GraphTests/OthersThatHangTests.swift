import Foundation
import PipeWireGraph
import SessionModel
import Testing

@testable import Nearend
@testable import SimulatedHardware

extension GraphTests {
  /// The daemon makes a client wait for what it has requested of another: a peer that hangs must not make nearend wait.
  @Suite("Others that hang", .serialized)
  struct OthersThatHang {
    /// Checks that the daemon does what nearend asks: add a port. (Tools other than pw-link wait for the session manager themselves.)
    private func expectService(_ live: LiveGraph, _ id: String) throws {
      try live.service.addGraphSink(id: id)
      try live.session.wait(forPorts: ["nearend:\(id)_FL"])
    }

    @Test("I6: a session manager that hangs delays nothing of nearend's, even if it then crashes and another one starts")
    func sessionManagerHangs() throws {
      // A separate session: a WirePlumber 0.4 that was killed and restarted may set up no other program's streams any more, with or without
      // nearend.
      let session = try PrivateSession(SessionConfiguration())
      defer { session.end() }
      let live = try LiveGraph(.hardware, in: session)
      defer { live.stop() }
      live.session.freeze(.wireplumber)
      defer { live.session.thaw(.wireplumber) }
      // A client arrives, so nearend reads the defaults again half a second later, and gets no answer; nothing shows that from outside.
      _ = try live.session.ports()
      Thread.sleep(forTimeInterval: 1)
      try expectService(live, "alice")
      live.session.stop(.wireplumber, with: SIGKILL)
      try live.session.start()
      try live.wait(forLinks: [
        ("nearend.sink.alice:monitor_FL", "nearend:alice_FL"), ("nearend.sink.alice:monitor_FR", "nearend:alice_FR"),
      ])
      live.service.perform(.set(.defaultDevices, true))
      try live.wait(for: "the defaults to be nearend's, of which the next session manager tells") { $0.route.areOursDefault }
      live.service.perform(.set(.defaultDevices, false))
      try live.wait(for: "the former defaults") { !$0.route.areOursDefault }
    }

    @Test("X2: a program that provides cards and hangs when they are queried delays nothing else")
    func cardsHang() throws {
      let session = try LiveGraph.session(.desk([.laptop]))
      let desk = try #require(session.desk)
      var options = GraphOptions(remote: session.socket)
      options.interruptions.systemBus = .none
      let service = try NearendService(NearendOptions(graph: options))
      defer { service.stop() }
      try desk.whileHanging {
        try service.start()
        try service.addGraphSink(id: "alice")
        try session.wait(forPorts: ["nearend:alice_FL", "nearend.sink.alice:monitor_FL"])
        // Not by pw-dump, which queries cards itself.
        try session.wait(for: "the links of nearend's own devices") {
          let links = try session.run("pw-link", "-l").output
          return links.contains("nearend:call_FL") && links.contains("nearend:alice_FL")
        }
      }
      try session.wait(for: "what the card tells, once it answers") {
        service.snapshot().route.current.outputs.contains { $0.portType == .builtInSpeaker }
      }
    }

    @Test("D3: an application that hangs while it is ducked delays only its own volume")
    func duckedApplicationHangs() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let music = Music(session: live.session)
      let player = try music.play()
      defer { player.end() }
      let call = try music.startCall()
      defer { call.end() }
      try live.wait(for: "the music to be lowered") { !$0.ducking.streams.isEmpty }
      player.signal(SIGSTOP)
      defer { player.signal(SIGCONT) }
      try live.service.set(.duckingLevel, to: .string("max"))
      // Some steps of its volume; nothing shows from outside that they were requested.
      Thread.sleep(forTimeInterval: 0.3)
      try expectService(live, "bert")
    }
  }
}
