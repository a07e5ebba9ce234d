import CHostileClient
import Foundation
import PipeWireGraph
import SessionModel
import Testing

@testable import Nearend
@testable import SimulatedHardware

extension GraphTests {
  /// The daemon makes a client wait for answers that it has requested from another client: one that hangs must not block nearend.
  @Suite("Others that hang", .serialized)
  struct OthersThatHang {
    private static let headset = "alsa_output.usb-Simulated_USB_Headset-00.analog-stereo"

    /// Checks that the daemon carries out a request of nearend's, adding a port. (Tools other than pw-link wait for the session manager
    /// themselves.)
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

    @Test("X2, R5: a card that never answers hides no other card: headphones that are pulled out pause")
    func anotherCardHangs() throws {
      let session = try LiveGraph.session(.desk([.laptop]))
      let desk = try #require(session.desk)
      desk.set(.headphones, isPlugged: true)
      let client = try #require(hc_connect(session.socket))
      defer { hc_disconnect(client) }
      let cards = (0..<40).map { HostileCard.add("card \($0)", to: client) }
      defer { for card in cards { hc_remove_device(card) } }
      var options = GraphOptions(remote: session.socket)
      options.interruptions.systemBus = .none
      let service = try NearendService(NearendOptions(graph: options))
      defer { service.stop() }
      try service.start()
      service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try session.wait(for: "the headphones") { service.snapshot().route.current.outputs.map(\.portType) == [.headphones] }
      try session.wait(for: "the speaker's links") { service.snapshot().graph.renderLinks == 2 }
      // Their news is in flight; whoever queries their params now gets no answer.
      for card in cards { hc_tell_again(card) }
      usleep(2_000)
      hc_hold(client)
      defer { hc_release(client) }
      Thread.sleep(forTimeInterval: 0.3)
      desk.set(.headphones, isPlugged: false)
      try session.wait(for: "the pause") { service.snapshot().route.isPausedAfterUnplug }
    }

    @Test("X1, R3: cards without end hide none of another program's: a headset that is plugged in later is seen with its port")
    func cardsWithoutEnd() throws {
      let live = try LiveGraph(.desk([.laptop]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      let client = try #require(hc_connect(live.session.socket))
      defer { hc_disconnect(client) }
      let devices = (0..<100).map { number in HostileCard.add("card \(number)", to: client) }
      defer { for device in devices { hc_remove_device(device) } }
      try live.session.wait(for: "the remark") { live.service.snapshot().log.contains { $0.message.contains("too many sound cards") } }
      desk.plug(.usb)
      try live.wait(for: "the headset") { $0.route.devices.contains { $0.name == Self.headset } }
      try live.service.set(.speaker, to: .string(Self.headset))
      try live.wait(for: "the headset, with its ports") { $0.route.current.outputs.map(\.portType) == [.usbAudio] }
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
      // Long enough for some steps of the volume; nothing shows from outside that they were requested.
      Thread.sleep(forTimeInterval: 0.3)
      try expectService(live, "bert")
    }
  }
}
