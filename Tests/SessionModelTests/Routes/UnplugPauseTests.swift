import SessionModel
import Testing

@Suite("Headphones gone")
struct UnplugPauseTests {
  private typealias Observation = UnplugPause.Observation

  private static let phones = RoutePort(name: "card.out", portType: .headphones, port: "phones", device: "card", isPrivate: true)
  private static let speaker = RoutePort(name: "card.out", portType: .builtInSpeaker, port: "speaker", device: "card")
  private static let headset = RoutePort(name: "bt.out", portType: .bluetoothA2DP, device: "bt", isPrivate: true)
  private static let screen = RoutePort(name: "hdmi.out", portType: .hdmi, device: "hdmi")

  private func seen(_ output: RoutePort?, there: [RoutePort] = [], chosen: String? = nil, isPlaying: Bool = true) -> Observation {
    Observation(
      output: output, available: Set((there + [output].compactMap { $0 }).map(\.id)), chosen: chosen, isPlaying: isPlaying)
  }

  private func pause(_ observations: Observation..., isEnabled: Bool = true) -> [Bool] {
    var pause = UnplugPause(isEnabled: isEnabled)
    return observations.map {
      pause.update($0)
      return pause.isPaused
    }
  }

  @Test("R5: headphones or a headset gone: paused, until they are there again")
  func unplug() {
    #expect(pause(seen(Self.phones), seen(Self.speaker), seen(Self.speaker), seen(Self.phones)) == [false, true, true, false])
    #expect(pause(seen(Self.headset), seen(Self.speaker), seen(Self.headset)) == [false, true, false])
    #expect(pause(seen(Self.headset), seen(nil), seen(Self.speaker), seen(Self.headset)) == [false, true, true, false])
  }

  @Test("R5: the jack is empty before the session manager has chosen another port: paused at once")
  func jackFirst() {
    let empty = Observation(output: Self.phones, available: [Self.speaker.id], isPlaying: true)
    #expect(pause(seen(Self.phones), empty, seen(Self.speaker), seen(Self.phones)) == [false, true, true, false])
  }

  @Test("R5: a second headset that takes over for a moment lets nothing into the room; one that took over for good may be left for it")
  func secondHeadset() {
    let empty = Observation(output: Self.phones, available: [Self.headset.id], isPlaying: true)
    let toRoom = seen(Self.speaker, there: [Self.headset])
    #expect(
      pause(seen(Self.phones, there: [Self.headset]), empty, seen(Self.headset), toRoom, toRoom, seen(Self.phones, there: [Self.headset]))
        == [false, true, false, true, true, false])
    #expect(pause(seen(Self.phones, there: [Self.headset]), seen(Self.headset), toRoom) == [false, false, true])
    var later = toRoom
    later.time = 10
    #expect(pause(seen(Self.phones, there: [Self.headset]), seen(Self.headset), later) == [false, false, false])
    let chosen = seen(Self.speaker, there: [Self.headset], chosen: "card.out")
    #expect(pause(seen(Self.phones, there: [Self.headset]), seen(Self.headset), chosen) == [false, false, false])
  }

  @Test("R5: the session manager has chosen before the jack is known to be empty: paused as soon as it is, whatever took over")
  func choiceFirst() {
    #expect(pause(seen(Self.phones), seen(Self.speaker, there: [Self.phones]), seen(Self.speaker)) == [false, false, true])
    let other = seen(Self.headset, there: [Self.phones])
    let toRoom = seen(Self.speaker, there: [Self.headset])
    #expect(pause(seen(Self.phones, there: [Self.headset]), other, toRoom, toRoom) == [false, false, true, true])
    #expect(pause(seen(Self.phones, there: [Self.headset]), other, seen(Self.headset), toRoom) == [false, false, false, true])
    var later = seen(Self.speaker)
    later.time = 10
    #expect(pause(seen(Self.phones), seen(Self.speaker, there: [Self.phones]), later) == [false, false, false], "they went by themselves")
    let chosen = seen(Self.speaker, there: [Self.phones], chosen: "card.out")
    #expect(pause(seen(Self.phones), chosen, seen(Self.speaker, chosen: "card.out")) == [false, false, false])
    #expect(pause(seen(Self.phones), seen(Self.speaker, there: [Self.phones]), seen(Self.phones), seen(Self.phones)).allSatisfy { !$0 })
  }

  @Test("R5: plugging in goes on without a pause, and a loudspeaker that goes is no headphones")
  func plug() {
    #expect(pause(seen(Self.speaker), seen(Self.phones)) == [false, false])
    #expect(pause(seen(Self.screen), seen(Self.speaker)) == [false, false])
    #expect(pause(seen(Self.headset, there: [Self.phones]), seen(Self.phones)) == [false, false], "from one pair to another")
  }

  @Test("R5: a person who chooses another speaker wants it heard there, before or after the headphones went")
  func chosen() {
    #expect(pause(seen(Self.phones), seen(Self.screen, there: [Self.phones], chosen: "hdmi.out")) == [false, false])
    #expect(pause(seen(Self.phones), seen(Self.speaker), seen(Self.screen, chosen: "hdmi.out")) == [false, true, false])
    #expect(pause(seen(Self.headset), seen(Self.speaker, there: [Self.headset])) == [false, false], "they are still there")
  }

  @Test("R5: nobody plays, nothing is paused; who begins later is heard")
  func silence() {
    #expect(pause(seen(Self.phones, isPlaying: false), seen(Self.speaker, isPlaying: false), seen(Self.speaker)) == [false, false, false])
    #expect(
      pause(seen(Self.phones), seen(Self.speaker), seen(Self.speaker, isPlaying: false), seen(Self.speaker)) == [false, true, false, false])
  }

  @Test("R5: resumed by a person, it stays so until the next time; switched off, it never pauses")
  func resume() {
    var pause = UnplugPause()
    for output in [Self.phones, Self.speaker] { pause.update(seen(output)) }
    #expect(pause.isPaused)
    pause.resume()
    pause.update(seen(Self.speaker))
    #expect(!pause.isPaused)
    for output in [Self.phones, Self.speaker] { pause.update(seen(output)) }
    #expect(pause.isPaused)
    pause.isEnabled = false
    #expect(!pause.isPaused)
    #expect(self.pause(seen(Self.phones), seen(Self.speaker), isEnabled: false) == [false, false])
  }
}
