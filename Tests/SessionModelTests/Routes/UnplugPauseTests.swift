import SessionModel
import Testing

@Suite("Headphones gone")
struct UnplugPauseTests {
  private static let phones = RoutePort(name: "card.out", portType: .headphones, port: "phones", device: "card", isPrivate: true)
  private static let speaker = RoutePort(name: "card.out", portType: .builtInSpeaker, port: "speaker", device: "card")
  private static let headset = RoutePort(name: "bt.out", portType: .bluetoothA2DP, device: "bt", isPrivate: true)
  private static let screen = RoutePort(name: "hdmi.out", portType: .hdmi, device: "hdmi")

  private func look(_ output: RoutePort?, there: [RoutePort] = [], chosen: String? = nil, isPlaying: Bool = true) -> UnplugPause.Look {
    UnplugPause.Look(output: output, available: Set((there + [output].compactMap { $0 }).map(\.id)), chosen: chosen, isPlaying: isPlaying)
  }

  private func pause(_ looks: UnplugPause.Look..., isEnabled: Bool = true) -> [Bool] {
    var pause = UnplugPause(isEnabled: isEnabled)
    return looks.map {
      pause.update($0)
      return pause.isPaused
    }
  }

  @Test("R5: headphones or a headset gone: paused, until they are there again")
  func unplug() {
    #expect(pause(look(Self.phones), look(Self.speaker), look(Self.speaker), look(Self.phones)) == [false, true, true, false])
    #expect(pause(look(Self.headset), look(Self.speaker), look(Self.headset)) == [false, true, false])
    #expect(pause(look(Self.headset), look(nil), look(Self.speaker), look(Self.headset)) == [false, true, true, false])
  }

  @Test("R5: the jack is empty before the session manager has chosen another port: paused at once")
  func jackFirst() {
    let empty = UnplugPause.Look(output: Self.phones, available: [Self.speaker.id], isPlaying: true)
    #expect(pause(look(Self.phones), empty, look(Self.speaker), look(Self.phones)) == [false, true, true, false])
  }

  @Test("R5: a second headset that takes over for a moment lets nothing into the room; one that took over for good may be left for it")
  func secondHeadset() {
    let empty = UnplugPause.Look(output: Self.phones, available: [Self.headset.id], isPlaying: true)
    let toRoom = look(Self.speaker, there: [Self.headset])
    #expect(
      pause(look(Self.phones, there: [Self.headset]), empty, look(Self.headset), toRoom, toRoom, look(Self.phones, there: [Self.headset]))
        == [false, true, false, true, true, false])
    #expect(pause(look(Self.phones, there: [Self.headset]), look(Self.headset), toRoom) == [false, false, true])
    var later = toRoom
    later.time = 10
    #expect(pause(look(Self.phones, there: [Self.headset]), look(Self.headset), later) == [false, false, false])
    let chosen = look(Self.speaker, there: [Self.headset], chosen: "card.out")
    #expect(pause(look(Self.phones, there: [Self.headset]), look(Self.headset), chosen) == [false, false, false])
  }

  @Test("R5: the session manager has chosen before the jack is known to be empty: paused as soon as it is, whatever took over")
  func choiceFirst() {
    #expect(pause(look(Self.phones), look(Self.speaker, there: [Self.phones]), look(Self.speaker)) == [false, false, true])
    let other = look(Self.headset, there: [Self.phones])
    let toRoom = look(Self.speaker, there: [Self.headset])
    #expect(pause(look(Self.phones, there: [Self.headset]), other, toRoom, toRoom) == [false, false, true, true])
    #expect(pause(look(Self.phones, there: [Self.headset]), other, look(Self.headset), toRoom) == [false, false, false, true])
    var later = look(Self.speaker)
    later.time = 10
    #expect(pause(look(Self.phones), look(Self.speaker, there: [Self.phones]), later) == [false, false, false], "they went by themselves")
    let chosen = look(Self.speaker, there: [Self.phones], chosen: "card.out")
    #expect(pause(look(Self.phones), chosen, look(Self.speaker, chosen: "card.out")) == [false, false, false])
    #expect(pause(look(Self.phones), look(Self.speaker, there: [Self.phones]), look(Self.phones), look(Self.phones)).allSatisfy { !$0 })
  }

  @Test("R5: plugging in goes on without a pause, and a loudspeaker that goes is no headphones")
  func plug() {
    #expect(pause(look(Self.speaker), look(Self.phones)) == [false, false])
    #expect(pause(look(Self.screen), look(Self.speaker)) == [false, false])
    #expect(pause(look(Self.headset, there: [Self.phones]), look(Self.phones)) == [false, false], "from one pair to another")
  }

  @Test("R5: a person who chooses another speaker wants it heard there, before or after the headphones went")
  func chosen() {
    #expect(pause(look(Self.phones), look(Self.screen, there: [Self.phones], chosen: "hdmi.out")) == [false, false])
    #expect(pause(look(Self.phones), look(Self.speaker), look(Self.screen, chosen: "hdmi.out")) == [false, true, false])
    #expect(pause(look(Self.headset), look(Self.speaker, there: [Self.headset])) == [false, false], "they are still there")
  }

  @Test("R5: nobody plays, nothing is paused; who begins later is heard")
  func silence() {
    #expect(pause(look(Self.phones, isPlaying: false), look(Self.speaker, isPlaying: false), look(Self.speaker)) == [false, false, false])
    #expect(
      pause(look(Self.phones), look(Self.speaker), look(Self.speaker, isPlaying: false), look(Self.speaker)) == [false, true, false, false])
  }

  @Test("R5: resumed by a person, it stays so until the next time; switched off, it never pauses")
  func resume() {
    var pause = UnplugPause()
    for output in [Self.phones, Self.speaker] { pause.update(look(output)) }
    #expect(pause.isPaused)
    pause.resume()
    pause.update(look(Self.speaker))
    #expect(!pause.isPaused)
    for output in [Self.phones, Self.speaker] { pause.update(look(output)) }
    #expect(pause.isPaused)
    pause.isEnabled = false
    #expect(!pause.isPaused)
    #expect(self.pause(look(Self.phones), look(Self.speaker), isEnabled: false) == [false, false])
  }
}
