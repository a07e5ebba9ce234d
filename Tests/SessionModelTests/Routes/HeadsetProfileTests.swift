import SessionModel
import Testing

@Suite("A Bluetooth headset's profile")
struct HeadsetProfileTests {
  private static let bt = "bluez_card"
  /// A headset that follows requests a moment later.
  private struct Rig {
    var rule = HeadsetProfile()
    var profile = "a2dp-sink"
    var obeys = true
    var isThere = true
    var used: String? = bt
    var requests: [String] = []

    mutating func poll(_ sends: Bool, at time: Double) {
      let card = HeadsetProfile.Card(name: bt, profile: profile, callProfile: "headset-head-unit")
      let (request, _) = rule.decide(sends: sends, used: used, cards: isThere ? [card] : [], at: time)
      guard let request else { return }
      requests.append(request.profile)
      if obeys { profile = request.profile }
    }

    mutating func poll(_ sends: Bool, from start: Double, to end: Double) {
      for step in 0...Int((end - start) * 20) { poll(sends, at: start + Double(step) / 20) }
    }
  }

  @Test("R6: sending switches to HFP, once; nobody sending any more switches back, once; both later than WirePlumber would")
  func there() {
    var rig = Rig()
    rig.poll(false, from: 0, to: 5)
    #expect(rig.requests == [])
    rig.poll(true, from: 5, to: 5.5)
    #expect(rig.requests == [], "500 ms are WirePlumber's")
    rig.poll(true, from: 5.5, to: 20)
    #expect(rig.requests == ["headset-head-unit"])
    #expect(rig.rule.change == .init(card: Self.bt, former: "a2dp-sink", ours: "headset-head-unit"))
    rig.poll(false, from: 20, to: 22)
    #expect(rig.requests.count == 1, "2 s are WirePlumber's")
    rig.poll(false, from: 22, to: 40)
    #expect(rig.requests == ["headset-head-unit", "a2dp-sink"])
    #expect(rig.rule.change == nil)
  }

  @Test("R6: stopping and starting again within seconds leaves the headset as it is")
  func debounce() {
    var rig = Rig()
    for second in 0..<20 { rig.poll(second % 2 == 0, from: Double(second) / 2, to: Double(second) / 2 + 0.4) }
    #expect(rig.requests == [])
    rig.poll(true, from: 10, to: 12)
    for second in 12..<40 { rig.poll(second % 3 == 2, from: Double(second), to: Double(second) + 0.95) }
    #expect(rig.requests == ["headset-head-unit"])
  }

  @Test("R6: a profile that WirePlumber has switched is neither switched again nor switched back")
  func byOthers() {
    var rig = Rig()
    rig.poll(true, at: 0)
    rig.profile = "headset-head-unit"
    rig.poll(true, from: 0.5, to: 10)
    rig.poll(false, from: 10, to: 20)
    #expect(rig.requests == [])
    #expect(rig.rule.change == nil)
  }

  @Test("R6: a person who chooses A2DP in a call keeps it for that call")
  func overruled() {
    var rig = Rig()
    rig.poll(true, from: 0, to: 2)
    rig.profile = "a2dp-sink"
    rig.poll(true, from: 2, to: 20)
    rig.poll(false, from: 20, to: 30)
    #expect(rig.requests == ["headset-head-unit"])
    rig.poll(true, from: 30, to: 40)
    #expect(rig.requests == ["headset-head-unit", "headset-head-unit"], "the next call is another")
  }

  @Test("R6: a headset that goes in a call and comes back is switched again")
  func comesBack() {
    var rig = Rig()
    rig.poll(true, from: 0, to: 2)
    rig.isThere = false
    rig.poll(true, from: 2, to: 5)
    (rig.isThere, rig.profile) = (true, "off")
    rig.poll(true, at: 5)
    rig.profile = "a2dp-sink"
    rig.poll(true, from: 5, to: 10)
    #expect(rig.requests == ["headset-head-unit", "headset-head-unit"])
    rig.poll(false, from: 10, to: 20)
    #expect(rig.requests.last == "a2dp-sink")
  }

  @Test("R6: a headset that goes before its card has reported the switch, and comes back, is switched again")
  func goesMeanwhile() {
    var rig = Rig()
    rig.obeys = false
    rig.poll(true, from: 0, to: 1)
    rig.isThere = false
    rig.poll(true, from: 1, to: 1.2)
    (rig.isThere, rig.obeys) = (true, true)
    rig.poll(true, from: 1.2, to: 3)
    #expect(rig.requests == ["headset-head-unit", "headset-head-unit"])
    #expect(rig.profile == "headset-head-unit")
  }

  @Test("R6: while a switched headset is away another one gets its call profile, and its music back; so does the first one once it returns")
  func second() {
    func card(_ name: String, _ profile: String) -> HeadsetProfile.Card {
      HeadsetProfile.Card(name: name, profile: profile, callProfile: "headset-head-unit")
    }
    var rule = HeadsetProfile()
    var profiles = ["first": "a2dp-sink"]
    var requests: [String] = []
    func poll(_ sends: Bool, used: String, from start: Double, to end: Double) {
      for step in 0...Int((end - start) * 20) {
        let cards = profiles.keys.sorted().map { card($0, profiles[$0]!) }
        guard let request = rule.decide(sends: sends, used: used, cards: cards, at: start + Double(step) / 20).request else { continue }
        requests.append("\(request.card) \(request.profile)")
        profiles[request.card] = request.profile
      }
    }
    poll(true, used: "first", from: 0, to: 2)
    profiles = ["second": "a2dp-sink"]
    poll(true, used: "second", from: 2, to: 5)
    #expect(requests == ["first headset-head-unit", "second headset-head-unit"])
    #expect(rule.unfinished?.card == "second")
    // The first one returns as it was left.
    profiles["first"] = "headset-head-unit"
    poll(true, used: "second", from: 5, to: 8)
    poll(false, used: "second", from: 8, to: 20)
    #expect(Set(requests.dropFirst(2)) == ["second a2dp-sink", "first a2dp-sink"] && requests.count == 4)
    #expect(rule.unfinished == nil && profiles == ["first": "a2dp-sink", "second": "a2dp-sink"])
  }

  @Test("R6: a headset that does not obey is asked once, not for ever")
  func refuses() {
    var rig = Rig()
    rig.obeys = false
    rig.poll(true, from: 0, to: 60)
    #expect(rig.requests == ["headset-head-unit"])
    #expect(rig.rule.change == nil)
  }

  @Test("R6: no longer used, a headset gets its music back though something goes on sending")
  func notUsed() {
    var rig = Rig()
    rig.poll(true, from: 0, to: 2)
    rig.used = nil
    rig.poll(true, from: 2, to: 10)
    #expect(rig.requests == ["headset-head-unit", "a2dp-sink"])
    #expect(rig.profile == "a2dp-sink")
  }

  @Test("R6: a profile left by an earlier run is restored once the headset is there, unless somebody chose another")
  func afterCrash() {
    let left = HeadsetProfile.Change(card: Self.bt, former: "a2dp-sink", ours: "headset-head-unit")
    var rig = Rig(rule: HeadsetProfile(change: left), profile: "headset-head-unit", isThere: false)
    rig.poll(false, from: 0, to: 20)
    #expect(rig.requests == [])
    rig.isThere = true
    rig.poll(false, from: 20, to: 30)
    #expect(rig.requests == ["a2dp-sink"])
    var other = Rig(rule: HeadsetProfile(change: left), profile: "off")
    other.poll(false, from: 0, to: 20)
    #expect(other.requests == [])
    #expect(other.rule.change == nil)
  }

  @Test("R6: leaving puts the profile back at once")
  func leaves() {
    var rig = Rig()
    rig.poll(true, from: 0, to: 2)
    let card = HeadsetProfile.Card(name: Self.bt, profile: rig.profile, callProfile: "headset-head-unit")
    #expect(rig.rule.leave(cards: [card]) == .init(card: Self.bt, profile: "a2dp-sink"))
    #expect(rig.rule.leave(cards: [card]) == nil)
  }

  @Test("R6: leaving while the switch has not been reported puts the profile back; one that somebody else chose meanwhile stays")
  func leavesMeanwhile() {
    for (reported, restores) in [("a2dp-sink", true), ("a2dp-sink-sbc", false)] {
      var rig = Rig()
      rig.obeys = false
      rig.poll(true, from: 0, to: 1)
      let card = HeadsetProfile.Card(name: Self.bt, profile: reported, callProfile: "headset-head-unit")
      #expect(rig.rule.leave(cards: [card]) == (restores ? .init(card: Self.bt, profile: "a2dp-sink") : nil), "\(reported)")
    }
  }

  @Test("R6: a headset without a microphone, and one that is not used, stay as they are")
  func notAHeadset() {
    var rule = HeadsetProfile()
    let card = HeadsetProfile.Card(name: Self.bt, profile: "a2dp-sink", callProfile: nil)
    for time in 0..<10 { #expect(rule.decide(sends: true, used: Self.bt, cards: [card], at: Double(time)).request == nil) }
  }
}
