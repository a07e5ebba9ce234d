import SessionModel
import Testing

/// The orders of calls that a call manager may use, and those that it must not.
@Suite("The order of calls")
struct CallOrderTests {
  /// A session with the effects of its events.
  struct Run {
    private(set) var state = SessionState()
    private(set) var last: [SessionEffect] = []

    mutating func send(_ events: SessionEvent...) {
      for event in events { (state, last) = reduce(state, event) }
    }
    var recovers: Bool { last.contains(.recovered) }
  }

  private let mic = SessionEvent.registerMedia(id: "mic", isSend: true, isReceive: false)
  private let ear = SessionEvent.registerMedia(id: "ear", isSend: false, isReceive: true)
  private let manual = SessionEvent.setInitOnly(.manualAudioSessionManagement(true))
  private let both = SessionDemand(sends: true, receives: true, keepsAwake: true)

  @Test("S1: default mode activates with the first media, deactivates with the last, and recovers by itself")
  func defaultMode() {
    var run = Run()
    #expect(!run.state.isActive)
    run.send(ear)
    #expect(run.state.isActive)
    run.send(mic, .interruptionBegan(.daemonLost))
    #expect(!run.state.isActive)
    #expect(run.state.demand == SessionDemand())
    run.send(.interruptionEnded(.daemonLost))
    #expect(run.state.demand == both)
    #expect(run.recovers)
    run.send(.unregisterMedia(id: "ear"))
    #expect(run.state.isActive)
    run.send(.unregisterMedia(id: "mic"))
    #expect(!run.state.isActive)
  }

  @Test("S1: manual mode skips exactly configuration, activation, deactivation and recovery; sources and sinks are managed as ever")
  func manualMode() {
    var run = Run()
    run.send(manual, ear, mic)
    #expect(!run.state.isActive, "activation on the first media is skipped")
    #expect(run.state.demand == SessionDemand())
    run.send(.registerSource(mediaId: "mic"), .registerSink(mediaId: "ear"))
    #expect(run.state.sinks == ["ear"], "mixing is unchanged")
    run.send(.activatedExternally, .interruptionBegan(.noDevice), .interruptionEnded(.noDevice))
    #expect(!run.state.isActive, "recovery is skipped")
    #expect(!run.recovers)
    run.send(.activatedExternally)
    #expect(run.recovers)
    run.send(.unregisterMedia(id: "mic"), .unregisterMedia(id: "ear"))
    #expect(run.state.isActive, "deactivation on the last media is skipped")
  }

  @Test("S2, S3, S4: a call manager's whole call, step by step")
  func callManager() {
    var run = Run()
    // 1. Manual mode, before any media.
    run.send(manual)
    #expect(run.last == [])
    // 2. Media is registered and the source starts: deferred, nothing is linked.
    run.send(ear, mic, .registerSink(mediaId: "ear"), .registerSource(mediaId: "mic"))
    #expect(run.state.source?.phase == .deferred)
    #expect(run.state.demand == SessionDemand())
    #expect(!run.state.isUnitRunning)
    // 3., 4. The call manager grants audio.
    run.send(.activatedExternally)
    #expect(run.last == [.demand(both), .attachSource(mediaId: "mic"), .recovered])
    #expect(run.state.source?.phase == .running)
    // 5. A participant joins and leaves.
    run.send(.registerMedia(id: "bob", isSend: false, isReceive: true), .registerSink(mediaId: "bob"), .unregisterMedia(id: "bob"))
    #expect(run.last == [.removeSink(mediaId: "bob")])
    // 6. It revokes audio: buffers are reset, registrations stay.
    run.send(.deactivatedExternally)
    #expect(run.last == [.resetSinks, .demand(SessionDemand()), .detachSource(mediaId: "mic")])
    #expect(run.state.sinks == ["ear"])
    #expect(run.state.source?.phase == .deferred)
    // 7. Tear-down changes nothing in the graph.
    run.send(.unregisterMedia(id: "mic"))
    #expect(run.last == [.removeSource(mediaId: "mic")])
    run.send(.unregisterMedia(id: "ear"))
    #expect(run.last == [.removeSink(mediaId: "ear")])
    #expect(!run.state.isActive)
  }

  @Test("S2: activation before the first registration counts: media runs as soon as it is registered")
  func earlyActivation() {
    var run = Run()
    run.send(manual, .activatedExternally)
    #expect(!run.recovers, "nothing waited")
    run.send(mic)
    #expect(run.state.isUnitRunning)
    run.send(.registerSource(mediaId: "mic"))
    #expect(run.last == [.attachSource(mediaId: "mic")])
  }

  @Test("S2: manual mode set again after an early activation does not lose it")
  func manualTwice() {
    var run = Run()
    run.send(manual, .activatedExternally, manual, mic)
    #expect(run.state.isUnitRunning)
  }

  @Test("S2: activation before manual mode is set only warns")
  func activationInDefaultMode() {
    var run = Run()
    for event in [SessionEvent.activatedExternally, .deactivatedExternally] {
      run.send(event)
      guard case .warn(let text)? = run.last.first else {
        Issue.record("\(run.last)")
        continue
      }
      #expect(text.contains("manualAudioSessionManagement"))
    }
    run.send(manual, mic)
    #expect(!run.state.isUnitRunning)
  }

  @Test("S3: late activation starts a source that has waited, without a restart")
  func lateActivation() {
    var run = Run()
    run.send(manual, mic, .registerSource(mediaId: "mic"), .enteredBackground, .enteredForeground, ear, .registerSink(mediaId: "ear"))
    #expect(run.state.source?.phase == .deferred)
    run.send(.activatedExternally)
    #expect(run.last.contains(.attachSource(mediaId: "mic")))
    #expect(run.recovers)
  }

  @Test("S2: deactivation during a call, and activation again, bring everything back")
  func deactivationDuring() {
    var run = Run()
    run.send(manual, mic, ear, .registerSource(mediaId: "mic"), .registerSink(mediaId: "ear"), .activatedExternally)
    let before = run.state
    run.send(.deactivatedExternally, .deactivatedExternally)
    #expect(run.last == [.resetSinks], "the second is no second stop")
    run.send(.activatedExternally)
    #expect(run.state == before)
    run.send(.activatedExternally)
    #expect(run.last == [], "the second is no second start")
  }

  @Test("I2, S3: media registered during an interruption waits for its end")
  func registrationDuringInterruption() {
    var run = Run()
    run.send(.interruptionBegan(.daemonLost), mic, .registerSource(mediaId: "mic"))
    #expect(run.state.source?.phase == .deferred)
    #expect(!run.state.isUnitRunning)
    run.send(.interruptionEnded(.daemonLost))
    #expect(run.state.isUnitRunning)
    #expect(run.last.contains(.attachSource(mediaId: "mic")))
    #expect(run.recovers)
  }

  @Test("I2: the session comes back with the last of several interruptions")
  func overlappingInterruptions() {
    var run = Run()
    run.send(mic, .interruptionBegan(.daemonLost), .interruptionBegan(.noDevice), .interruptionEnded(.daemonLost))
    #expect(!run.state.isUnitRunning)
    run.send(.interruptionEnded(.noDevice))
    #expect(run.state.isUnitRunning)
    #expect(run.recovers)
  }

  @Test("I3: an interruption that ends in the background is recovered in the foreground, once")
  func background() {
    var run = Run()
    run.send(mic, .interruptionBegan(.daemonLost), .enteredBackground, .interruptionEnded(.daemonLost))
    #expect(!run.state.isActive)
    #expect(!run.recovers)
    run.send(.enteredForeground)
    #expect(run.state.isActive)
    #expect(run.recovers)
    run.send(.enteredBackground, .enteredForeground)
    #expect(!run.recovers)
  }

  @Test("I5: a live unit goes on undisturbed through background and foreground")
  func liveUnit() {
    var run = Run()
    run.send(mic, .enteredBackground)
    #expect(run.last == [])
    run.send(.enteredForeground)
    #expect(run.last == [])
  }

  @Test("I3: a session that ended while recovery waited has nothing to recover; the next one starts over")
  func endedWhileAwaiting() {
    var run = Run()
    run.send(
      mic, .interruptionBegan(.daemonLost), .enteredBackground, .interruptionEnded(.daemonLost), .unregisterMedia(id: "mic"),
      .enteredForeground)
    #expect(run.last == [])
    run.send(mic)
    #expect(run.state.isUnitRunning)
  }

  @Test("L6, S1: manual mode cannot be changed while media is registered, in either direction")
  func manualWhileRegistered() {
    var run = Run()
    run.send(mic, manual)
    #expect(run.last == [.refused(.locked(setting: "manualAudioSessionManagement"))])
    #expect(!run.state.settings.isManual)
    run.send(.unregisterMedia(id: "mic"), manual, mic, .setInitOnly(.manualAudioSessionManagement(false)))
    #expect(run.last == [.refused(.locked(setting: "manualAudioSessionManagement"))])
    #expect(run.state.settings.isManual)
  }

  @Test("L3: a program's media is distinct from an application's of the same id")
  func sameId() {
    let application = Media(id: "mic", isSend: true, isReceive: false, owner: .application)
    var run = Run()
    run.send(.applications([application]), mic)
    #expect(run.state.media.count == 2)
    run.send(.registerSource(mediaId: "mic"))
    #expect(run.state.source?.mediaId == "mic")
    run.send(.unregisterMedia(id: "mic"))
    #expect(run.state.media == [application])
    run.send(.unregisterMedia(id: "mic"))
    #expect(run.state.media == [application], "an application leaves by itself")
  }

  @Test("S5: without automatic deactivation the session stays active after the last media, until it is on again")
  func automaticDeactivation() {
    var run = Run()
    run.send(.setAutomaticDeactivation(false), mic, .unregisterMedia(id: "mic"))
    #expect(run.state.isActive)
    #expect(run.state.demand == SessionDemand(), "nobody is there to link devices for")
    run.send(.setAutomaticDeactivation(true))
    #expect(!run.state.isActive)
  }

  @Test("S5: without automatic configuration nearend links no device, and automatic deactivation has no meaning")
  func automaticConfiguration() {
    var run = Run()
    run.send(.setAutomaticConfiguration(false), .setAutomaticDeactivation(false), mic)
    #expect(run.state.demand == SessionDemand(sends: true, keepsAwake: true, linksDevices: false))
    run.send(.unregisterMedia(id: "mic"))
    #expect(!run.state.isActive)
  }

  @Test("L6, S8: init-only settings are locked as long as there is a unit: while media is registered, and while recording is kept prepared")
  func lockedWhilePrepared() {
    var run = Run()
    run.send(.setRecordingAlwaysPrepared(true))
    for setting in [InitOnlySetting.useVoiceProcessingIO(false), .channelCount(1), .manualAudioSessionManagement(true)] {
      let (state, effects) = reduce(run.state, .setInitOnly(setting))
      #expect(state == run.state && effects == [.refused(.locked(setting: setting.name))])
    }
    run.send(.setRecordingAlwaysPrepared(false), .setInitOnly(.channelCount(1)))
    #expect(run.state.settings.renderChannelCount == 1)
    run.send(.setRecordingAlwaysPrepared(true))
    #expect(!run.state.atRest.isLocked && !run.state.atRest.isNeeded, "the unit is gone, whoever keeps the setting")
  }

  @Test("S7: settings, external activation and foreground state outlive a graph")
  func atRest() {
    var run = Run()
    run.send(.setInitOnly(.renderChannelCount(1)), manual, .activatedExternally, mic, .registerSource(mediaId: "mic"), .enteredBackground)
    let rest = run.state.atRest
    #expect(rest.settings == run.state.settings)
    #expect(rest.isActivatedExternally)
    #expect(!rest.isInForeground)
    #expect(rest.media.isEmpty)
    #expect(rest.source == nil)
    run.send(.interruptionBegan(.daemonLost))
    #expect(run.state.atRest.interruptions.isEmpty, "the next graph tells what holds it up")
  }
}
