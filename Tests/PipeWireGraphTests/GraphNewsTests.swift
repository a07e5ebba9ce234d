import SessionModel
import Testing

@testable import PipeWireGraph

@Suite("News of the graph")
struct GraphNewsTests {
  @Test("L3: applications that come and go are told by name, and all of them to the session each time")
  func users() {
    var news = GraphNews()
    let both = ClientWatch.Users(send: ["parec-7"], receive: ["parec-7", "pacat-8"])
    #expect(
      news.update(both) == [
        .remark(.info, "parec-7 records from Nearend Microphone"), .remark(.info, "parec-7 plays through nearend"),
        .remark(.info, "pacat-8 plays through nearend"),
        .session(
          .applications([
            Media(id: "parec-7", isSend: true, isReceive: true, owner: .application),
            Media(id: "pacat-8", isSend: false, isReceive: true, owner: .application),
          ])),
      ])
    #expect(news.update(both).count == 1)
    #expect(
      news.update(ClientWatch.Users(receive: ["pacat-8"])).dropLast() == [
        .remark(.info, "parec-7 no longer records"), .remark(.info, "parec-7 no longer plays"),
      ])
    news.forgetUsers()
    #expect(news.update(ClientWatch.Users()) == [.session(.applications([]))], "they went with the daemon")
  }

  @Test("I1: a stream with priority interrupts once, whichever it is, until there is none")
  func interrupter() {
    var news = GraphNews()
    #expect(news.update(interrupter: nil).isEmpty)
    #expect(
      news.update(interrupter: "ring (Phone)") == [
        .remark(.warning, "interrupted: ring (Phone) has priority over a call"), .session(.interruptionBegan(.role)),
      ])
    #expect(news.update(interrupter: "alarm (Emergency)").isEmpty)
    #expect(news.update(interrupter: nil) == [.session(.interruptionEnded(.role))])
  }

  @Test("R1: the devices in use are told each time, and remarked when they change")
  func ends() {
    var news = GraphNews()
    let ends = RouteEnds(microphone: "hw.mic", speaker: "hw.speaker")
    func update(_ ends: RouteEnds) -> [GraphEvent] { news.update(ends, isSettling: false) }
    #expect(update(ends) == [.remark(.info, "microphone: hw.mic"), .remark(.info, "speaker: hw.speaker"), .route(ends)])
    #expect(update(ends) == [.route(ends)])
    let left = RouteEnds(speaker: "hw.speaker")
    #expect(update(left) == [.remark(.info, "microphone: none"), .route(left)])
  }

  @Test("R1 I6: devices that are missing for a moment when the daemon is back are told each time, and remarked only if they stay away")
  func settling() {
    var news = GraphNews()
    let (ends, other) = (RouteEnds(microphone: "hw.mic", speaker: "hw.speaker"), RouteEnds(microphone: "usb.mic"))
    _ = news.update(ends, isSettling: false)
    #expect(news.update(RouteEnds(), isSettling: true) == [.route(RouteEnds())])
    #expect(news.update(other, isSettling: true) == [.remark(.info, "microphone: usb.mic"), .route(other)])
    #expect(news.update(ends, isSettling: true) == [.remark(.info, "microphone: hw.mic"), .route(ends)])
    #expect(news.update(other, isSettling: true).first == .remark(.info, "microphone: usb.mic"))
    #expect(news.update(RouteEnds(), isSettling: true) == [.route(RouteEnds())])
    #expect(
      news.update(RouteEnds(), isSettling: false) == [
        .remark(.info, "microphone: none"), .remark(.info, "speaker: none"), .route(RouteEnds()),
      ])
  }

  @Test("I1: being without a device is told when it begins and when it ends")
  func device() {
    var news = GraphNews()
    #expect(news.update(isWithoutDevice: false).isEmpty)
    #expect(
      news.update(isWithoutDevice: true) == [
        .remark(.warning, "no real device to play to or record from"), .session(.interruptionBegan(.noDevice)),
      ])
    #expect(news.update(isWithoutDevice: true).isEmpty)
    #expect(
      news.update(isWithoutDevice: false) == [.remark(.info, "a device is available again"), .session(.interruptionEnded(.noDevice))])
  }

  @Test("D1: a mute by a mixer or a switch is remarked, and a volume once it is too low for a call")
  func mutes() {
    var news = GraphNews()
    var volumes = VolumesStatus()
    volumes.speaker.volume = 0.5
    volumes.nearendMicrophone.volume = 0.7
    #expect(news.update(volumes).isEmpty && news.volumes == volumes)
    volumes.nearendMicrophone.volume = 0.05
    #expect(news.update(volumes) == [.remark(.warning, "Nearend Microphone is at 5 %: hardly heard")])
    volumes.nearendMicrophone.volume = 0.04
    #expect(news.update(volumes).isEmpty)
    volumes.nearendMicrophone.volume = 1
    volumes.speaker.isMuted = true
    #expect(
      news.update(volumes) == [
        .remark(.info, "Nearend Microphone is at 100 %"), .remark(.info, "the real speaker is muted, by a mixer or a switch"),
      ])
    volumes.nearendMicrophone.isMuted = true
    #expect(news.update(volumes) == [.remark(.info, "Nearend Microphone is muted, by a mixer or a switch")])
    volumes.nearendMicrophone.isMuted = false
    #expect(news.update(volumes) == [.remark(.info, "Nearend Microphone is no longer muted, by a mixer or a switch")])
  }

  @Test("R1: a loop is remarked when it closes, with who plays what back, and when it has ended")
  func loops() {
    var news = GraphNews()
    let objects = DeskGraph().facts.objects
    let loop = GraphLoop(source: DeskGraph.nearendMicrophone, stream: DeskGraph.application, sink: DeskGraph.nearendSpeaker)
    let said = news.update([loop], in: objects)
    #expect(said.count == 1 && news.loops == ["parec"])
    guard case .remark(.warning, let text)? = said.first else { return #expect(Bool(false), "\(said)") }
    #expect(text.hasPrefix("parec plays Nearend Microphone back into nearend.speaker"), "\(text)")
    #expect(news.update([loop], in: objects).isEmpty)
    let monitored = GraphLoop(source: DeskGraph.nearendSpeaker, stream: DeskGraph.application, sink: DeskGraph.nearendSpeaker)
    #expect(news.update([], in: objects) == [.remark(.info, "parec no longer plays back into nearend")])
    guard case .remark(.warning, let words)? = news.update([monitored], in: objects).first else { return #expect(Bool(false)) }
    #expect(words.hasPrefix("parec plays the monitor of nearend.speaker back into nearend.speaker"), "\(words)")
  }
}
