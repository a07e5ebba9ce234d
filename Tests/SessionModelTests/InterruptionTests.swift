import Testing

@testable import SessionModel

@Suite("Interruptions")
struct InterruptionTests {
  /// Sends events a second apart, and keeps the history.
  struct Run {
    var state = SessionState()
    var history = InterruptionHistory()
    var clock = 0.0

    mutating func send(_ events: SessionEvent...) {
      for event in events {
        clock += 1
        let (next, effects) = reduce(state, event)
        history.note(from: state, to: next, isRecovered: effects.contains(.recovered), time: 1_000 + clock, clock: clock)
        state = next
      }
    }
    /// The records as words, such as "daemonLost 2.0 recovered".
    var words: [String] { history.records(at: clock).map { "\($0.reason) \($0.duration) \($0.outcome)" } }
  }
  private static let mic = SessionEvent.registerMedia(id: "mic", isSend: true, isReceive: false)

  @Test("I1, I2: every reason except frozen changes each state like a lost daemon", arguments: Representative.allCases)
  func reasons(_ representative: Representative) {
    // In the interrupted states the daemon is already lost.
    guard !representative.state.interruptions.contains(.daemonLost) else { return }
    // All reasons except the daemon depend on who manages the session.
    let isManaged = representative.state.settings.configuresDevices
    for reason in Interruption.Reason.allCases where reason != .frozen && (isManaged || !reason.isOfTheSession) {
      let (expected, expectedEffects) = reduce(representative.state, .interruptionBegan(.daemonLost))
      let (began, effects) = reduce(representative.state, .interruptionBegan(reason))
      #expect(effects == expectedEffects, "\(reason)")
      #expect(began.words.map { $0.replacing("\(reason)", with: "daemonLost") } == expected.words, "\(reason)")
      let (ended, recovery) = reduce(began, .interruptionEnded(reason))
      let (expectedEnd, expectedRecovery) = reduce(expected, .interruptionEnded(.daemonLost))
      #expect(ended == expectedEnd, "\(reason)")
      #expect(recovery == expectedRecovery, "\(reason)")
    }
  }

  @Test("I5: a frozen graph goes on being demanded in default mode, also in the background, and recovers when cycles come again")
  func frozen() {
    for isInForeground in [true, false] {
      var run = Run()
      run.send(Self.mic, .registerSource(mediaId: "mic"))
      if !isInForeground { run.send(.enteredBackground) }
      let (frozen, effects) = reduce(run.state, .interruptionBegan(.frozen))
      #expect(effects == [.rebuild, .detachSource(mediaId: "mic")])
      #expect(frozen.demand == run.state.demand)
      #expect(!frozen.isActive)
      let (thawed, recovery) = reduce(frozen, .interruptionEnded(.frozen))
      #expect(recovery == [.attachSource(mediaId: "mic"), .recovered])
      #expect(thawed == run.state)
    }
  }

  @Test("I5: a return to the foreground alone tears nothing down and recovers nothing")
  func foregroundAlone() {
    for state in [Representative.call.state, Representative.manualActive.state] {
      let (background, leaving) = reduce(state, .enteredBackground)
      let (foreground, returning) = reduce(background, .enteredForeground)
      #expect(leaving == [] && returning == [])
      #expect(foreground == state)
    }
  }

  @Test("S5: without automatic configuration, or out of the chain, only the graph interrupts")
  func unmanaged() {
    for off in [SessionEvent.setAutomaticConfiguration(false), .setSessionHandling(false)] {
      for isManual in [false, true] {
        var run = Run()
        if isManual { run.send(.setInitOnly(.manualAudioSessionManagement(true))) }
        run.send(off, Self.mic, .activatedExternally, .enteredBackground)
        let running = run.state
        for reason in [Interruption.Reason.role, .sleep, .sessionInactive, .noDevice] {
          let (held, effects) = reduce(running, .interruptionBegan(reason))
          #expect(effects == [] && held.isUnitRunning && held.demand == running.demand, "\(reason)")
          #expect(reduce(held, .interruptionEnded(reason)) == (running, []), "\(reason)")
        }
        run.send(.interruptionBegan(.daemonLost))
        #expect(!run.state.isUnitRunning)
        run.send(.interruptionEnded(.daemonLost))
        #expect(run.state.isUnitRunning != isManual, "whoever manages it decides what the background means")
      }
    }
  }

  @Test("S5: a phone that rings when nearend starts managing the session interrupts it from then on, and no longer once others manage it")
  func handedOver() {
    for (off, on) in [
      (SessionEvent.setAutomaticConfiguration(false), SessionEvent.setAutomaticConfiguration(true)),
      (.setSessionHandling(false), .setSessionHandling(true)),
    ] {
      var run = Run()
      run.send(Self.mic, off, .interruptionBegan(.role), on)
      #expect(run.state.interruptions == [.role] && !run.state.isUnitRunning)
      #expect(run.words == ["role 0.0 holds"])
      let (left, effects) = reduce(run.state, off)
      #expect(left.isUnitRunning && effects.contains(.recovered))
      run.send(off)
      #expect(run.words == ["role 1.0 recovered"])
      run.send(.interruptionEnded(.role), on)
      #expect(run.state.isUnitRunning && run.state.unheeded == [])
    }
  }

  @Test("I1, I2: the history has reason, beginning, duration and outcome of each")
  func history() {
    var run = Run()
    run.send(Self.mic, .interruptionBegan(.sleep))
    run.clock += 5
    #expect(run.words == ["sleep 5.0 holds"])
    run.send(.interruptionEnded(.sleep))
    #expect(run.words == ["sleep 6.0 recovered"])
    #expect(run.history.records(at: 0).map(\.began) == [1_002])
    run.send(.interruptionBegan(.role), .interruptionBegan(.noDevice), .interruptionEnded(.role))
    #expect(run.words.dropFirst() == ["role 2.0 waits", "noDevice 1.0 holds"], "one that is over recovers nothing while another holds")
    run.send(.interruptionEnded(.noDevice))
    #expect(run.words.dropFirst() == ["role 2.0 recovered", "noDevice 2.0 recovered"])
  }

  @Test("I3, I4: an interruption that ends in the background, or in manual mode, waits, and is recovered by the return or the call manager")
  func waiting() {
    var run = Run()
    run.send(Self.mic, .interruptionBegan(.role), .enteredBackground, .interruptionEnded(.role))
    #expect(run.words == ["role 2.0 waits"])
    run.send(.enteredForeground)
    #expect(run.words == ["role 2.0 recovered"])

    var manual = Run()
    manual.send(.setInitOnly(.manualAudioSessionManagement(true)), Self.mic, .activatedExternally)
    manual.send(.interruptionBegan(.sleep), .interruptionEnded(.sleep))
    #expect(manual.words == ["sleep 1.0 waits"])
    #expect(!manual.state.isUnitRunning)
    manual.send(.activatedExternally)
    #expect(manual.words == ["sleep 1.0 recovered"])
  }

  @Test("I1: an interruption with nothing to recover has ended, and the oldest are forgotten")
  func forgetting() {
    var run = Run()
    run.send(.interruptionBegan(.sleep), .interruptionEnded(.sleep))
    #expect(run.words == ["sleep 1.0 ended"])
    for _ in 0..<30 { run.send(.interruptionBegan(.role), .interruptionEnded(.role)) }
    #expect(run.words == Array(repeating: "role 1.0 ended", count: InterruptionHistory.capacity))
  }
}
