import Testing

@testable import SessionModel

@Suite("The order of hearing oneself")
struct AuditionCourseTests {
  private var ready: AuditionFacts {
    var facts = AuditionFacts()
    (facts.microphone, facts.speaker, facts.isLinked, facts.isProcessed, facts.rate) = ("mic", "speaker", true, true, 48_000)
    return facts
  }

  /// A course of 5 s that has just begun to record, at 1 s.
  private func recording() -> AuditionCourse {
    var course = AuditionCourse(seconds: 5, at: 0)
    #expect(course.step(ready, at: 0) == nil)
    #expect(course.step(ready, at: 1) == .record(rate: 48_000))
    return course
  }

  @Test("V6: what is said at the end is what was found: without a voice, nobody was heard")
  func headline() {
    var status = AuditionStatus(number: 1, seconds: 5)
    status.phase = .done
    var findings = AuditionFindings()
    status.findings = findings
    #expect(status.words == "no voice was heard")
    (findings.microphoneLevel, findings.voiceLevel) = (-30, -24)
    status.findings = findings
    #expect(status.words == "that is how others hear you")
  }

  @Test("L4: it records once all has been ready for a second, plays one after the other, and is done")
  func order() {
    var course = AuditionCourse(seconds: 5, at: 0)
    var facts = ready
    facts.isLinked = false
    #expect(course.step(facts, at: 2) == nil)
    #expect(course.step(ready, at: 3) == nil)
    facts = ready
    facts.microphone = "headset"
    #expect(course.step(facts, at: 3.8) == nil, "another microphone, such as a headset's in its call profile, settles, too")
    #expect(course.step(facts, at: 4.1) == nil)
    #expect(course.step(facts, at: 4.8) == .record(rate: 48_000))
    #expect(course.step(facts, at: 9) == nil && course.phase == .recording && course.elapsed(at: 9) == 4.2)
    facts.isRecorded = true
    #expect(course.step(facts, at: 9.8) == .playMicrophone && course.phase == .microphone)
    #expect(course.step(facts, at: 12) == nil)
    facts.hasPlayed = true
    #expect(course.step(facts, at: 14.8) == nil, "a pause")
    facts.hasPlayed = false
    #expect(course.step(facts, at: 15.3) == .playVoice && course.phase == .voice)
    #expect(course.step(facts, at: 18) == nil)
    facts.hasPlayed = true
    #expect(course.step(facts, at: 20.3) == .end(reason: nil) && course.phase == .done)
    #expect(course.step(facts, at: 21) == nil, "once")
  }

  @Test("I1: what makes it end early, with its reason")
  func early() {
    let cases: [(String, (inout AuditionFacts) -> Void)] = [
      ("the machine sleeps", { $0.obstacle = "the machine sleeps" }),
      ("the microphone mic is gone", { $0.microphone = nil }),
      ("the microphone has changed from mic to other", { $0.microphone = "other" }),
      ("the speaker speaker is gone", { $0.speaker = nil }),
      ("the graph's rate has changed from 48000 to 44100 Hz", { $0.rate = 44_100 }),
      ("playback is paused because headphones were unplugged", { $0.isPaused = true }),
    ]
    for (reason, change) in cases {
      var (course, facts) = (recording(), ready)
      change(&facts)
      #expect(course.step(facts, at: 2) == .end(reason: reason))
      #expect(course.phase == .ended && course.step(ready, at: 3) == nil)
    }
  }

  @Test("L4: nothing waits for ever: for devices, for sound in the microphone, for playback")
  func limits() {
    var course = AuditionCourse(seconds: 5, at: 0)
    var facts = ready
    (facts.microphone, facts.isLinked) = (nil, false)
    #expect(course.step(facts, at: 15) == nil)
    #expect(course.step(facts, at: 15.1) == .end(reason: "there is no microphone"))

    course = recording()
    #expect(course.step(ready, at: 9) == nil)
    #expect(course.step(ready, at: 9.1) == .end(reason: "the microphone's sound has stopped"))

    course = recording()
    facts = ready
    facts.isRecorded = true
    #expect(course.step(facts, at: 6) == .playMicrophone)
    #expect(course.step(facts, at: 14.1) == .end(reason: "the speaker's sound has stopped"))
  }

  @Test("V6: the findings in words: levels, how much lower background and echo are, what could not be found out")
  func findings() {
    var findings = AuditionFindings()
    (findings.microphoneLevel, findings.voiceLevel) = (-31.2, -22.6)
    (findings.microphoneBackground, findings.voiceBackground) = (-58, -76.4)
    (findings.echoReduction, findings.hadFarEnd) = (41.3, true)
    #expect(
      findings.lines == [
        "Your voice: raw -31 dBFS, others hear -23 dBFS", "Background: raw -58 dBFS, others hear -76 dBFS: 18 dB lower",
        "Echo: 41 dB lower",
      ])
    (findings.echoReduction, findings.microphoneLevel, findings.isMuted) = (nil, nil, true)
    #expect(findings.lines[0].hasPrefix("Your voice: none was heard"))
    #expect(
      findings.lines.suffix(2) == ["Echo: too little to be measured", "The microphone is muted: others hear nothing until it is not"])
    #expect(AuditionFindings().lines[2].contains("nothing played"))
  }
}
