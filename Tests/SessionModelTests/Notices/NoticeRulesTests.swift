import Border
import SessionModel
import Testing

@Suite("Notices")
struct NoticeRulesTests {
  /// Facts that change at some seconds, and what the rules do, looking once a second and whenever they ask for it.
  private struct Play {
    var facts = NoticeFacts()
    var rules = NoticeRules()
    private(set) var time = 0.0
    private var silentSince: Double?
    private(set) var told: [String] = []

    init(_ change: (inout NoticeFacts) -> Void = { _ in }) {
      facts.isInCall = true
      facts.isActive = true
      facts.isSending = true
      facts.microphone = "hw.mic"
      change(&facts)
    }

    /// Changes the facts, and lets seconds pass.
    mutating func after(_ seconds: Double, polls: Bool = true, canShow: Bool = true, _ change: (inout NoticeFacts) -> Void = { _ in }) {
      look(canShow)
      let end = time + seconds
      while true {
        let next = min(polls ? time + 1 : .infinity, rules.nextLook ?? .infinity)
        guard next <= end else { break }
        time = next
        look(canShow)
      }
      time = end
      change(&facts)
      look(canShow)
    }

    mutating func look(_ canShow: Bool = true) {
      silentSince = facts.silence == nil ? nil : silentSince ?? time
      facts.silence = silentSince.map { time - $0 }
      for change in rules.reduce(facts, at: time, canShow: canShow) {
        let (verb, kind): (String, Notice.Kind) =
          switch change {
          case .show(let notice): ("show", notice.kind)
          case .replace(let notice): (notice.isPassing ? "over" : "replace", notice.kind)
          case .withdraw(let kind): ("withdraw", kind)
          case .holdBack(let notice): ("hold", notice.kind)
          }
        told.append("\(decimal(time, 0)) \(verb) \(kind)")
      }
    }
  }

  @Test("O11: nothing is told where nothing is wrong, of others' calls, or while nobody records")
  func nothing() {
    var play = Play()
    play.after(100)
    play.after(100) { $0 = NoticeFacts() }
    #expect(play.told == [])
    #expect(play.rules.nextLook == nil, "and no timer runs")
    var facts = NoticeFacts()
    facts.echo = .failing
    facts.isMicrophoneMuted = true
    facts.isTalkingWhileMuted = true
    facts.complaint = "it is muted"
    facts.isolationObstacle = "it is busy"
    facts.bypassed = ["Amp: NaN"]
    #expect(facts.notices == [])
  }

  /// What is so from the first second to the end, and what is told of it.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var lasts: Double
    var begin: @Sendable (inout NoticeFacts) -> Void
    var end: @Sendable (inout NoticeFacts) -> Void
    var told: [String]
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "an echo of 4 s", lasts: 4, begin: { $0.echo = .failing }, end: { $0.echo = .cancelling }, told: []),
    Case(
      name: "an echo of 20 s", lasts: 20, begin: { $0.echo = .failing }, end: { $0.echo = .cancelling },
      told: ["6 show echo", "26 withdraw echo"]),
    Case(
      name: "an echo until the mute", lasts: 20, begin: { $0.echo = .failing }, end: { $0.isMicrophoneMuted = true },
      told: ["6 show echo", "21 withdraw echo"]),
    Case(
      name: "talk into the mute", lasts: 3,
      begin: { ($0.isMicrophoneMuted, $0.isTalkingWhileMuted) = (true, true) },
      end: { $0.isTalkingWhileMuted = false }, told: ["1 show talkingWhileMuted", "14 withdraw talkingWhileMuted"]),
    Case(
      name: "talk until unmuted", lasts: 3,
      begin: { ($0.isMicrophoneMuted, $0.isTalkingWhileMuted) = (true, true) },
      end: { ($0.isMicrophoneMuted, $0.isTalkingWhileMuted) = (false, false) },
      told: ["1 show talkingWhileMuted", "4 withdraw talkingWhileMuted"]),
    Case(
      name: "a microphone that is pulled and put back at once", lasts: 2, begin: { $0.microphone = nil }, end: { $0.microphone = "hw.mic" },
      told: []),
    Case(
      name: "a microphone that is gone", lasts: 10, begin: { $0.microphone = nil }, end: { $0.microphone = "hw.other" },
      told: ["4 show noMicrophone", "11 withdraw noMicrophone"]),
    Case(
      name: "a microphone that a switch mutes", lasts: 10, begin: { $0.complaint = "It is muted." },
      end: { $0.complaint = nil }, told: ["6 show silentMicrophone", "11 withdraw silentMicrophone"]),
    Case(
      name: "another microphone, which is silent", lasts: 30, begin: { ($0.microphone, $0.silence) = ("hw.other", 0) },
      end: { $0.silence = nil }, told: ["21 show silentMicrophone", "31 withdraw silentMicrophone"]),
    Case(
      name: "an interruption of 1 s", lasts: 1, begin: { ($0.interruption, $0.isActive, $0.isSending) = (.daemonLost, false, false) },
      end: { ($0.interruption, $0.isActive, $0.isSending) = (nil, true, true) }, told: []),
    Case(
      name: "an interruption", lasts: 10,
      begin: { ($0.interruption, $0.isActive, $0.isSending, $0.isInCall) = (.daemonLost, false, false, false) },
      end: { ($0.interruption, $0.isActive, $0.isSending, $0.isInCall) = (nil, true, true, true) },
      told: ["3 show interruption", "11 over interruption", "19 withdraw interruption"]),
    Case(
      name: "an interruption that the call does not outlast", lasts: 10,
      begin: { ($0.interruption, $0.isActive, $0.isSending) = (.noDevice, false, false) },
      end: { ($0.interruption, $0.isInCall) = (nil, false) }, told: ["3 show interruption", "14 withdraw interruption"]),
    Case(
      name: "sleep, of which nobody at the machine hears", lasts: 10,
      begin: { ($0.interruption, $0.isActive, $0.isSending) = (.sleep, false, false) },
      end: { ($0.interruption, $0.isActive, $0.isSending) = (nil, true, true) }, told: []),
    Case(
      name: "headphones unplugged", lasts: 10, begin: { $0.isPausedAfterUnplug = true }, end: { $0.isPausedAfterUnplug = false },
      told: ["1 show pause", "11 withdraw pause"]),
    Case(
      name: "isolation that starts", lasts: 4, begin: { $0.isolationObstacle = "it is starting" }, end: { $0.isolationObstacle = nil },
      told: []),
    Case(
      name: "isolation that is too slow", lasts: 10, begin: { $0.isolationObstacle = "it is busy" }, end: { $0.isolationObstacle = nil },
      told: ["6 show isolation", "11 withdraw isolation"]),
    Case(
      name: "a plug-in that breaks", lasts: 10, begin: { $0.bypassed = ["Amp: NaN"] }, end: { $0.bypassed = [] },
      told: ["1 show plugIn", "11 withdraw plugIn"]),
  ]

  @Test("O11: each notice is shown once, after the time for which it has to be so, and withdrawn when it is over", arguments: cases)
  func table(_ row: Case) {
    var play = Play()
    play.after(1, row.begin)
    play.after(row.lasts, row.end)
    play.after(50)
    #expect(play.told == row.told)
    #expect(play.rules.nextLook == nil)
  }

  @Test("O11: an interruption is told and ends without a cycle that polls: the rules ask for a look in time")
  func timers() {
    var play = Play()
    play.after(1) { ($0.interruption, $0.isActive, $0.isSending) = (.daemonLost, false, false) }
    play.after(10, polls: false) { ($0.interruption, $0.isActive, $0.isSending) = (nil, true, true) }
    play.after(50, polls: false)
    #expect(play.told == ["3 show interruption", "11 over interruption", "19 withdraw interruption"])
  }

  @Test("O11: no more than two are shown in a minute; of those that wait and still hold, the most important comes first")
  func twoAMinute() {
    var play = Play()
    play.after(1) {
      $0.isPausedAfterUnplug = true
      $0.bypassed = ["Amp: NaN"]
    }
    play.after(9) { $0.isolationObstacle = "it is busy" }
    play.after(20) { $0.echo = .failing }
    play.after(100, polls: false)
    #expect(
      play.told == [
        "1 show pause", "1 show plugIn", "15 hold isolation", "35 hold echo", "61 show echo", "61 show isolation",
      ])
  }

  @Test("O11: what is over before there is room for it is never shown")
  func overBeforeRoom() {
    var play = Play()
    play.after(1) {
      $0.isPausedAfterUnplug = true
      $0.bypassed = ["Amp: NaN"]
    }
    play.after(9) { $0.isolationObstacle = "it is busy" }
    play.after(20) { $0.isolationObstacle = nil }
    play.after(100)
    #expect(play.told == ["1 show pause", "1 show plugIn", "15 hold isolation"])
  }

  @Test("O11: one whose words change is replaced, which counts; the same again waits a minute")
  func changes() {
    var play = Play()
    play.after(1) { $0.bypassed = ["Amp: NaN"] }
    play.after(1) { $0.bypassed = ["Amp: NaN", "Gate: NaN"] }
    play.after(1) { $0.bypassed = ["Amp: NaN", "Gate: NaN", "Echo: NaN"] }
    play.after(70) { $0.bypassed = [] }
    play.after(1) { $0.bypassed = ["Amp: NaN", "Gate: NaN", "Echo: NaN"] }
    play.after(100)
    #expect(
      play.told == [
        "1 show plugIn", "2 replace plugIn", "3 hold plugIn", "61 replace plugIn", "73 withdraw plugIn", "121 show plugIn",
      ])
  }

  @Test("O11: whoever unmutes and mutes again is told again at once; what a person has closed is not shown again before it is over")
  func talkAgain() {
    var play = Play()
    func talk(_ facts: inout NoticeFacts) { (facts.isMicrophoneMuted, facts.isTalkingWhileMuted) = (true, true) }
    func unmute(_ facts: inout NoticeFacts) { (facts.isMicrophoneMuted, facts.isTalkingWhileMuted) = (false, false) }
    play.after(1, talk)
    play.rules.closed(.talkingWhileMuted, byPerson: true)
    play.after(30)
    #expect(play.told == ["1 show talkingWhileMuted"])
    play.after(0, unmute)
    play.after(5, talk)
    #expect(play.told == ["1 show talkingWhileMuted", "36 show talkingWhileMuted"])
  }

  @Test("O11: who mutes again is told again within the minute, also where the first was over long before the unmute")
  func mutesAgain() {
    var play = Play()
    play.after(0) { ($0.isMicrophoneMuted, $0.isTalkingWhileMuted) = (true, true) }
    play.after(2) { $0.isTalkingWhileMuted = false }
    play.after(18) { $0.isMicrophoneMuted = false }
    play.after(10) { ($0.isMicrophoneMuted, $0.isTalkingWhileMuted) = (true, true) }
    #expect(play.told == ["0 show talkingWhileMuted", "12 withdraw talkingWhileMuted", "30 show talkingWhileMuted"])
  }

  @Test(
    "O11: the end of an interruption is told where its notice's time was over, not where a person has closed it", arguments: [false, true])
  func interruptionClosed(byPerson: Bool) {
    var play = Play()
    play.after(1) { ($0.interruption, $0.isActive, $0.isSending) = (.daemonLost, false, false) }
    play.after(5)
    play.rules.closed(.interruption, byPerson: byPerson)
    #expect(play.rules.reduce(play.facts, at: 6).isEmpty && play.rules.nextLook == nil, "no timer runs while it lasts")
    play.after(20) { if byPerson { $0.interruption = .frozen } }
    play.after(4) { ($0.interruption, $0.isActive, $0.isSending) = (nil, true, true) }
    play.after(50)
    let first = ["3 show interruption"]
    #expect(play.told == (byPerson ? first : first + ["30 show interruption", "38 withdraw interruption"]))
  }

  @Test("O11: what still holds is shown once there is a daemon; what a daemon takes with it is shown by the next")
  func daemons() {
    var play = Play()
    play.after(1) { $0.isPausedAfterUnplug = true }
    play.look(false)
    var absent = Play { $0.isPausedAfterUnplug = true }
    absent.after(20, canShow: false)
    #expect(absent.told == [] && absent.rules.isWaitingForDesktop)
    absent.look()
    #expect(absent.told == ["20 show pause"] && !absent.rules.isWaitingForDesktop)
    absent.rules.desktopVanished()
    absent.after(5, canShow: false)
    absent.look()
    #expect(absent.told == ["20 show pause", "25 show pause"])
    absent.rules.closed(.pause, byPerson: true)
    absent.rules.desktopVanished()
    absent.after(100)
    #expect(absent.told == ["20 show pause", "25 show pause"], "a person has closed it")
  }

  @Test("O11: turned off it withdraws what is shown; turned on again it is still no more than two in a minute")
  func off() {
    var play = Play {
      $0.isPausedAfterUnplug = true
      $0.bypassed = ["Amp: NaN"]
    }
    play.look()
    #expect(play.rules.withdrawAll() == [.withdraw(.pause), .withdraw(.plugIn)])
    play.after(100)
    #expect(play.told == ["0 show pause", "0 show plugIn", "0 hold pause", "0 hold plugIn", "60 show pause", "60 show plugIn"])
  }

  @Test("O11: notices say what is wrong and what mends it, with an action where a person can do it by one press")
  func words() {
    var snapshot = Snapshot(version: "1")
    snapshot.session.state = .active
    snapshot.session.sendMedia = ["call"]
    snapshot.route.microphone = Device(name: "hw.mic", description: "Mic", direction: .input)
    snapshot.graph.captureLinks = 1
    #expect(NoticeFacts(snapshot).notices == [])
    snapshot.session.microphoneSilence = 14.9
    #expect(NoticeFacts(snapshot).notices == [])
    snapshot.session.microphoneSilence = 15
    #expect(
      NoticeFacts(snapshot).notices.map(\.body) == [
        "Nothing but silence comes from the microphone hw.mic. Is it switched off, or another one meant?"
      ])
    snapshot.session.microphoneSilence = nil

    snapshot.route.volumes.microphone.isMuted = true
    #expect(NoticeFacts(snapshot).notices.map(\.body) == ["The real microphone is muted by a mixer or a switch: unmute it there."])
    snapshot.route.volumes.microphone = VolumeStatus(volume: 0.02)
    #expect(NoticeFacts(snapshot).notices.map(\.body) == ["The real microphone is turned down in a mixer."])
    snapshot.route.volumes.microphone = VolumeStatus()
    snapshot.route.volumes.nearendMicrophone.isMuted = true
    #expect(NoticeFacts(snapshot).notices.map(\.body) == ["Nearend Microphone is muted by a mixer or a switch: unmute it there."])
    snapshot.route.volumes.nearendMicrophone.isMuted = false

    snapshot.processing.echo = .failing
    snapshot.processing.micMode = MicModeStatus(requested: .voiceIsolation, effective: .standard, reason: "it is too busy")
    snapshot.stages = [
      StageStatus(
        id: "amp", chain: .capture, file: "amp.so", label: "amp", name: "Amplifier", isOnAudioThread: true, latency: 0, state: .muted,
        reason: "it put out NaN", lateBlocks: 0, ports: [])
    ]
    #expect(NoticeFacts(snapshot).notices.map(\.kind) == [.echo, .isolation, .plugIn])
    #expect(NoticeFacts(snapshot).notices.last?.body == "Amplifier: it put out NaN")

    snapshot.session.isMicrophoneMuted = true
    snapshot.session.isTalkingWhileMuted = true
    let talk = NoticeFacts(snapshot).notices.first
    #expect(talk?.kind == .talkingWhileMuted && talk?.action?.command == .set(.microphoneMuted, .bool(false)))
    snapshot.route.isPausedAfterUnplug = true
    #expect(NoticeFacts(snapshot).notices.first?.action?.command == .resumeAfterUnplug)
    for reason in Interruption.Reason.allCases {
      snapshot.session.interruption = Interruption(reason: reason, duration: 1)
      let isTold = NoticeFacts(snapshot).notices.contains { $0.kind == .interruption }
      #expect(isTold == ![.sleep, .sessionInactive].contains(reason), "\(reason)")
    }
  }
}
