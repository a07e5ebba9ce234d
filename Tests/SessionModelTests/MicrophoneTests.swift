import Testing

@testable import SessionModel

@Suite("The session's microphone")
struct MicrophoneTests {
  private static func session(_ events: SessionEvent...) -> SessionState {
    events.reduce(SessionState()) { reduce($0, $1).state }
  }
  private static let sending = SessionEvent.registerMedia(id: "mic", isSend: true, isReceive: false)

  @Test("D1: only mode restart closes the microphone while muted, and nothing else changes with it", arguments: MicrophoneMuteMode.allCases)
  func modes(mode: MicrophoneMuteMode) {
    let muted = Self.session(Self.sending, .setMicrophoneMuteMode(mode), .setMicrophoneMuted(true))
    #expect(muted.demand == SessionDemand(sends: true, keepsAwake: true, opensMicrophone: mode != .restart))
    #expect(muted.microphoneGate == MicrophoneGate(isMuted: true, mutesInput: mode == .inputMixer, isOnlyPrepared: false))
    #expect(reduce(muted, .setMicrophoneMuted(false)).state.demand.opensMicrophone)
    #expect(reduce(muted, .setMicrophoneMuted(true)).effects.isEmpty, "muting twice is no news")
  }

  @Test("S8: prepared, the microphone is open and the voice held while nobody sends, before the first media and after the last")
  func prepared() {
    var state = Self.session(.setRecordingAlwaysPrepared(true))
    let warm = SessionDemand(sends: true, keepsAwake: true, isOnlyPrepared: true)
    #expect(state.demand == warm && state.isUnitRunning && state.microphoneGate.isOnlyPrepared)
    #expect(!state.demand.isCall, "nobody is to be lowered for it")
    state = reduce(state, Self.sending).state
    #expect(state.demand == SessionDemand(sends: true, keepsAwake: true) && !state.microphoneGate.isOnlyPrepared)
    let rest = reduce(state, .unregisterMedia(id: "mic")).state
    #expect(rest.demand == warm && rest.microphoneGate.isOnlyPrepared)
    let off = reduce(rest, .setRecordingAlwaysPrepared(false)).state
    #expect(off.demand == SessionDemand() && !off.isActivated && !off.microphoneGate.isOnlyPrepared)
  }

  @Test("S8 D1: a person's mute in mode restart closes the microphone although it is kept prepared")
  func preparedAndClosed() {
    let state = Self.session(.setRecordingAlwaysPrepared(true), .setMicrophoneMuteMode(.restart), .setMicrophoneMuted(true))
    #expect(state.demand.sends && !state.demand.opensMicrophone)
  }

  @Test("S8 S1: in manual mode the call manager's word comes first")
  func preparedInManualMode() {
    var state = Self.session(.setInitOnly(.manualAudioSessionManagement(true)), .setRecordingAlwaysPrepared(true))
    #expect(state.demand == SessionDemand())
    state = reduce(state, .activatedExternally).state
    #expect(state.demand.opensMicrophone)
  }
}
