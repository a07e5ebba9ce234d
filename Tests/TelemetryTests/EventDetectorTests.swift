import SessionModel
import Testing

@Suite("Event detection")
struct EventDetectorTests {
  private typealias Sink = AudioObservation.Sink

  private func poll(_ detector: inout EventDetector, _ sinks: [AudioObservation.Sink], at time: Double) -> [EventDetector.Event] {
    detector.update(AudioObservation(sinks: sinks), at: time)
  }

  @Test("K6: a run of drops is posted once, on its first frame, with consecutive, total and totalUnderruns")
  func dropRun() {
    var detector = EventDetector()
    #expect(poll(&detector, [Sink(id: "a", totalUnderruns: 0)], at: 0).isEmpty)
    let found = poll(&detector, [Sink(id: "a", consecutiveDrops: 1, totalDrops: 1)], at: 0.1)
    #expect(found == [.drop("a", consecutive: 1, total: 1, totalUnderruns: 0)])
    #expect(poll(&detector, [Sink(id: "a", consecutiveDrops: 40, totalDrops: 40)], at: 0.2).isEmpty)
    #expect(poll(&detector, [Sink(id: "a", consecutiveDrops: 4_000, totalDrops: 4_000)], at: 1_000).isEmpty, "the same run, still")
  }

  @Test("K6: the next run is posted 5 minutes after the last event, not sooner", arguments: [(299.9, false), (300.0, true), (301.0, true)])
  func dropLimit(after: Double, isTold: Bool) {
    var detector = EventDetector()
    #expect(poll(&detector, [Sink(id: "a", consecutiveDrops: 1, totalDrops: 1)], at: 0).count == 1)
    #expect(poll(&detector, [Sink(id: "a", consecutiveDrops: 0, totalDrops: 1)], at: 1).isEmpty)
    let second = poll(&detector, [Sink(id: "a", totalUnderruns: 0, consecutiveDrops: 2, totalDrops: 3)], at: after)
    #expect(second == (isTold ? [.drop("a", consecutive: 2, total: 3, totalUnderruns: 0)] : []))
  }

  @Test("K6: each sink has 5 minutes of its own, and so has each kind")
  func limitsApart() {
    var detector = EventDetector()
    #expect(poll(&detector, [Sink(id: "a", consecutiveDrops: 1, totalDrops: 1), Sink(id: "b")], at: 0).count == 1)
    let found = poll(
      &detector,
      [
        Sink(id: "a", consecutiveUnderruns: 1, totalUnderruns: 1, consecutiveDrops: 1, totalDrops: 1),
        Sink(id: "b", consecutiveDrops: 1, totalDrops: 1),
      ], at: 1)
    #expect(found.map(\.kind) == [.sinkUnderrun, .sinkFrameDrop])
    #expect(found.map(\.mediaId) == ["a", "b"])
  }

  @Test("K6: a run both reported by a program and found in the counters is one event, whichever comes first", arguments: [true, false])
  func toldTwice(programFirst: Bool) {
    var detector = EventDetector()
    _ = poll(&detector, [Sink(id: "a")], at: 0)
    let sink = Sink(id: "a", totalUnderruns: 7, consecutiveDrops: 1, totalDrops: 1)
    let expected = EventDetector.Event.drop("a", consecutive: 1, total: 1, totalUnderruns: 7)
    var found: [EventDetector.Event] = []
    if !programFirst { found += poll(&detector, [sink], at: 0.1).filter { $0.kind == .sinkFrameDrop } }
    if let event = detector.frameDrop(mediaId: "a", consecutive: 1, total: 1, totalUnderruns: 7, at: 0.1) { found.append(event) }
    if programFirst { found += poll(&detector, [sink], at: 0.2).filter { $0.kind == .sinkFrameDrop } }
    #expect(found == [expected])
  }

  @Test("K6: a run that began and ended between two observations is posted, and a second one that began while the first ended")
  func runsBetweenLooks() {
    var detector = EventDetector()
    #expect(poll(&detector, [Sink(id: "a", consecutiveDrops: 0, totalDrops: 3)], at: 0).first == .drop("a", consecutive: 3, total: 3))
    #expect(poll(&detector, [Sink(id: "a", consecutiveDrops: 2, totalDrops: 5)], at: 400).count == 1)
    // Three more drops: one of the old run, then a write that fit, then two.
    #expect(poll(&detector, [Sink(id: "a", consecutiveDrops: 2, totalDrops: 8)], at: 800).first == .drop("a", consecutive: 2, total: 8))
  }

  @Test("K6: cleared counters begin again; a sink of the same id that came later has 5 minutes of its own")
  func beginAgain() {
    var detector = EventDetector()
    #expect(poll(&detector, [Sink(id: "a", consecutiveDrops: 9, totalDrops: 9)], at: 0).count == 1)
    #expect(poll(&detector, [Sink(id: "a")], at: 400).isEmpty, "cleared")
    #expect(poll(&detector, [Sink(id: "a", consecutiveDrops: 1, totalDrops: 1)], at: 401).count == 1)
    #expect(poll(&detector, [], at: 402).isEmpty)
    #expect(poll(&detector, [Sink(id: "a", consecutiveDrops: 1, totalDrops: 1)], at: 403).count == 1, "another sink")
  }

  @Test("K6: what is dropped while nothing is played is not posted, also if playing stopped and began between two observations")
  func dropsUnplayed() {
    var detector = EventDetector()
    func poll(_ playback: Int?, run: UInt64, total: UInt64, former: UInt64 = 0, at time: Double) -> [EventDetector.Event] {
      var observation = AudioObservation(sinks: [Sink(id: "a", consecutiveDrops: run, totalDrops: total)])
      observation.sinks[0].formerDrops = former
      observation.playback = playback
      return detector.update(observation, at: time)
    }
    #expect(poll(1, run: 4, total: 4, former: 4, at: 0).isEmpty, "before the first")
    #expect(poll(nil, run: 9, total: 9, at: 1).isEmpty)
    #expect(poll(2, run: 0, total: 11, former: 11, at: 2).isEmpty)
    #expect(poll(3, run: 0, total: 13, former: 13, at: 3).isEmpty)
    #expect(poll(4, run: 2, total: 16, former: 14, at: 4) == [.drop("a", consecutive: 2, total: 16)], "as soon as it is played")
    #expect(poll(nil, run: 5, total: 19, at: 400).isEmpty, "a pause")
    #expect(poll(4, run: 6, total: 20, at: 401).isEmpty)
    #expect(poll(4, run: 7, total: 21, at: 402) == [.drop("a", consecutive: 7, total: 21)], "it goes on while it is played")
  }

  @Test("K5: an underrun is posted for the first gap of a run, with consecutive and total")
  func underrun() {
    var detector = EventDetector()
    _ = poll(&detector, [Sink(id: "a")], at: 0)
    let found = poll(&detector, [Sink(id: "a", consecutiveUnderruns: 1, totalUnderruns: 1)], at: 0.1)
    #expect(found.map(\.kind) == [.sinkUnderrun])
    #expect(found.first?.detail["consecutive"] == 1)
    #expect(found.first?.detail["total"] == 1)
    #expect(poll(&detector, [Sink(id: "a", consecutiveUnderruns: 5, totalUnderruns: 5)], at: 400).isEmpty, "the run goes on")
    #expect(poll(&detector, [Sink(id: "a", consecutiveUnderruns: 0, totalUnderruns: 5)], at: 401).isEmpty)
    #expect(poll(&detector, [Sink(id: "a", consecutiveUnderruns: 1, totalUnderruns: 6)], at: 402).count == 1)
  }

  @Test("T3: jitter spikes, and overruns of source and graph, are posted with their details")
  func others() {
    var detector = EventDetector()
    _ = detector.update(AudioObservation(sinks: [Sink(id: "a")]), at: 0)
    let found = detector.update(
      AudioObservation(
        sinks: [Sink(id: "a", jitterSpikes: 2, lastJitterSpike: 0.12, jitter: 0.01)], xruns: 5,
        quantum: 256, rate: 48_000, busyRatioPeak: 1.5), at: 1)
    #expect(
      found == [
        .init(
          kind: .sinkJitterSpike, mediaId: "a", detail: ["late": .number(0.12), "jitter": .number(0.01), "total": 2, "totalUnderruns": 0]),
        .init(
          kind: .graphOverrun, mediaId: nil,
          detail: ["missed": 5, "total": 5, "quantum": 256, "rate": 48_000, "busyRatioPeak": .number(1.5)]),
      ])
    #expect(detector.update(AudioObservation(sinks: [], xruns: 9), at: 2).isEmpty, "within 5 minutes")
    let overrun = detector.sourceOverrun(mediaId: "s", lost: 3, total: 4, at: 3)
    #expect(overrun == .init(kind: .sourceOverrun, mediaId: "s", detail: ["lost": 3, "total": 4]))
    #expect(detector.sourceOverrun(mediaId: "s", lost: 1, total: 5, at: 302) == nil, "within 5 minutes")
    #expect(detector.sourceOverrun(mediaId: "s", lost: 1, total: 6, at: 303) != nil)
  }

  @Test("T3: a change of device is posted with both routes, each time; the first devices are no change")
  func deviceChange() {
    var detector = EventDetector()
    #expect(detector.update(RouteEnds(microphone: "mic", speaker: "one")) == nil)
    #expect(detector.update(RouteEnds(microphone: "mic", speaker: "one")) == nil)
    for (old, new) in [("one", "two"), ("two", "one")] {
      let event = detector.update(RouteEnds(microphone: "mic", speaker: new))
      let detail: [String: EventValue] = [
        "microphone": "mic", "speaker": .string(new), "previousMicrophone": "mic", "previousSpeaker": .string(old),
      ]
      #expect(event == .init(kind: .deviceChange, mediaId: nil, detail: detail))
    }
    #expect(detector.update(RouteEnds(microphone: nil, speaker: "one"))?.detail["microphone"] == "")
  }
}

extension EventDetector.Event {
  static func drop(_ id: String, consecutive: Int, total: Int, totalUnderruns: Int = 0) -> Self {
    EventDetector.Event(
      kind: .sinkFrameDrop, mediaId: id,
      detail: ["consecutive": .integer(consecutive), "total": .integer(total), "totalUnderruns": .integer(totalUnderruns)])
  }
}

extension EventDetectorTests {
  @Test("D2: talking while muted is posted when it begins, at most once in 10 s")
  func talkingWhileMuted() {
    var detector = EventDetector()
    func poll(_ isTalking: Bool, at time: Double) -> Int {
      var observation = AudioObservation()
      observation.isTalkingWhileMuted = isTalking
      return detector.update(observation, at: time).count { $0.kind == .talkingWhileMuted }
    }
    #expect(poll(false, at: 0) == 0 && poll(true, at: 1) == 1)
    #expect(poll(true, at: 2) == 0 && poll(false, at: 3) == 0)
    #expect(poll(true, at: 4) == 0, "again, too soon")
    #expect(poll(false, at: 5) == 0 && poll(true, at: 11) == 1)
  }
}
