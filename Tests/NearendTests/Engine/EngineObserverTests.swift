import Nearend
import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization
import Testing

@testable import Nearend

/// The chain of engine observers: which hooks are called, in which order, and the effect of a veto.
@Suite("Engine observers")
struct EngineObserverTests {
  @Test("S6: hooks are called in the chain's order, from the first registration to the last unregistration")
  func order() throws {
    let (rig, tape) = (ManagerRig(), HookTape())
    rig.manager.set(engineObservers: [tape.observer("a"), rig.manager.audioSession, tape.observer("b")])
    try rig.manager.registerMedia(id: "mic", isSend: true, isReceive: false)
    #expect(tape.drain() == both("didCreate", "willEnable -r", "willConnectInput", "willStart -r"))
    try rig.manager.registerMedia(id: "second", isSend: true, isReceive: false)
    try rig.manager.registerMedia(id: "mic", isSend: true, isReceive: true)
    #expect(tape.drain() == [], "what is used already, or registered already, is no step")
    try rig.manager.registerMedia(id: "ear", isSend: false, isReceive: true)
    #expect(tape.drain() == both("willEnable pr", "willConnectOutput"))
    rig.manager.unregisterMedia(id: "second")
    #expect(tape.drain() == [])
    rig.manager.unregisterMedia(id: "mic")
    #expect(tape.drain() == both("didDisable p-"))
    rig.manager.unregisterMedia(id: "ear")
    #expect(tape.drain() == both("didStop p-", "didDisable --", "willRelease"))
    try rig.registerCall()
    #expect(tape.drain().first == "a didCreate", "the next session has the same chain")
    rig.manager.shutDown()
    #expect(tape.drain().suffix(6) == both("didStop pr", "didDisable --", "willRelease")[...])
  }

  /// Sets the session's switches in every hook.
  private final class Switcher: AudioEngineObserver {
    let manager: AudioSessionManager
    let turns = Mutex(0)
    init(_ manager: AudioSessionManager) { self.manager = manager }

    private func turn() {
      turns.withLock { $0 += 1 }
      manager.isAutomaticDeactivationEnabled.toggle()
      manager.isAutomaticConfigurationEnabled = true
    }
    func engineDidCreate(_ engine: AudioEngine) throws { turn() }
    func engineWillEnable(_ engine: AudioEngine, use: EngineUse) throws { turn() }
    func engineWillStart(_ engine: AudioEngine, use: EngineUse) throws { turn() }
    func engineDidStop(_ engine: AudioEngine, use: EngineUse) { turn() }
    func engineDidDisable(_ engine: AudioEngine, use: EngineUse) { turn() }
    func engineWillRelease(_ engine: AudioEngine) { turn() }
  }

  @Test("S5, S6: a hook may set the session's switches")
  func switches() throws {
    let rig = ManagerRig()
    let switcher = Switcher(rig.manager)
    rig.manager.set(engineObservers: [rig.manager.audioSession, switcher])
    try rig.registerCall()
    rig.manager.shutDown()
    let turns = switcher.turns.withLock { $0 }
    #expect(turns >= 6)
    #expect(rig.manager.isAutomaticDeactivationEnabled == (turns % 2 == 0))
    rig.manager.set(engineObservers: [])
  }

  private func both(_ hooks: String...) -> [String] { hooks.flatMap { ["a \($0)", "b \($0)"] } }

  /// What the first observer hears when the second refuses.
  private static let vetoes: [(EngineVeto.Hook, [String])] = [
    (.didCreate, ["a didCreate", "a willRelease"]),
    (.willEnable, ["a didCreate", "a willEnable pr", "a didDisable --", "a willRelease"]),
    (.willConnectInput, ["a didCreate", "a willEnable pr", "a willConnectInput", "a didDisable --", "a willRelease"]),
    (
      .willConnectOutput,
      ["a didCreate", "a willEnable pr", "a willConnectInput", "a willConnectOutput", "a didDisable --", "a willRelease"]
    ),
    (
      .willStart,
      [
        "a didCreate", "a willEnable pr", "a willConnectInput", "a willConnectOutput", "a willStart pr", "a didStop pr", "a didDisable --",
        "a willRelease",
      ]
    ),
  ]

  @Test("S6: a veto at each hook: the registration throws the hook's error, and nothing is half changed", arguments: vetoes)
  func veto(hook: EngineVeto.Hook, heard: [String]) throws {
    let (rig, tape) = (ManagerRig(), HookTape())
    rig.manager.isMicrophoneMuted = true
    rig.manager.set(engineObservers: [rig.manager.audioSession, tape.observer("a"), tape.observer("b", refuses: hook)])
    #expect(
      error { () throws(GraphError) in try rig.manager.registerMedia(id: "call", isSend: true, isReceive: true) }
        == .vetoed(EngineVeto(hook: hook, error: Refusal.never)))
    #expect(tape.drain().filter { $0.hasPrefix("a") } == heard)
    #expect(rig.world.nodes == 0 && rig.world.starts == 0)
    #expect(rig.manager.owner.service == nil)
    #expect(rig.manager.owner.session.media == [] && !rig.manager.isSessionActive)
    // The refused attempt is over: the next registration begins anew.
    rig.manager.set(engineObservers: [tape.observer("a")])
    try rig.registerCall()
    #expect(rig.manager.isMicrophoneMuted && rig.world.nodes == 1)
  }

  @Test("S6: a veto of a second direction leaves the first as it was")
  func vetoWhileRunning() throws {
    let (rig, tape) = (ManagerRig(), HookTape())
    rig.manager.set(engineObservers: [rig.manager.audioSession, tape.observer("a"), tape.observer("b", refuses: .willConnectOutput)])
    try rig.manager.registerMedia(id: "mic", isSend: true, isReceive: false)
    _ = tape.drain()
    #expect(
      error { () throws(GraphError) in try rig.manager.registerMedia(id: "ear", isSend: false, isReceive: true) }
        == .vetoed(EngineVeto(hook: .willConnectOutput, error: Refusal.never)))
    #expect(tape.drain().filter { $0.hasPrefix("a") } == ["a willEnable pr", "a willConnectOutput", "a didDisable -r"])
    #expect(rig.manager.owner.session.media.map(\.id) == ["mic"])
    #expect(rig.demand == SessionDemand(sends: true, keepsAwake: true))
    rig.manager.unregisterMedia(id: "mic")
    #expect(tape.drain().filter { $0.hasPrefix("a") } == ["a didStop -r", "a didDisable --", "a willRelease"])
  }

  @Test("S6: failing to join the graph calls didStop")
  func failedStart() throws {
    let (rig, tape) = (ManagerRig(), HookTape())
    rig.manager.set(engineObservers: [tape.observer("a")])
    rig.world.fail(with: .noDaemon(reason: "no daemon here"))
    #expect(
      error { () throws(GraphError) in try rig.manager.registerMedia(id: "mic", isSend: true, isReceive: false) }
        == .noDaemon(reason: "no daemon here"))
    #expect(tape.drain().suffix(4) == ["a willStart -r", "a didStop -r", "a didDisable --", "a willRelease"])
  }

  @Test("S6: without audioSession in the chain, as with an empty one, nothing is configured and no session outlasts its media")
  func emptyChain() throws {
    let rig = ManagerRig()
    rig.manager.set(engineObservers: [])
    rig.manager.isAutomaticDeactivationEnabled = false
    try rig.registerCall()
    #expect(rig.demand.sends && !rig.demand.linksDevices)
    rig.unregisterCall()
    #expect(rig.world.nodes == 0)
    #expect(rig.manager.isAutomaticConfigurationEnabled, "the switch itself is the program's")
    rig.manager.set(engineObservers: [rig.manager.audioSession])
    try rig.registerCall()
    #expect(rig.demand.linksDevices)
  }

  @Test("S6 D4 D5: the mixer is in the default chain; without it application audio is refused and volumes have no effect, until it is back")
  func withoutMixer() throws {
    let rig = ManagerRig()
    let jingle = try AppAudioBuffer(interleaved: [Int16](repeating: 1, count: 480), sampleRate: 48_000, channelCount: 1)
    func works() throws -> Bool {
      try rig.registerCall()
      defer { rig.unregisterCall() }
      let service = try #require(rig.manager.owner.service)
      do throws(SinkError) {
        _ = try service.addAppAudio(id: "jingle", format: try SinkFormat(sampleRate: 48_000, channelCount: 1), bufferSize: 9_600)
      } catch {
        #expect(error.description.contains("engine observers do not include the mixer"), "\(error)")
        #expect(!service.core.appAudio.isEnabled && !rig.manager.mixer.capture(appAudio: jingle))
        return false
      }
      #expect(service.core.appAudio.isEnabled && rig.manager.mixer.capture(appAudio: jingle))
      return true
    }
    rig.manager.mixer.micVolume = 0.5
    #expect(try works(), "by default")
    for chain in [[], [rig.manager.audioSession]] as [[any AudioEngineObserver]] {
      rig.manager.set(engineObservers: chain)
      let isOff = try !works()
      #expect(isOff && rig.manager.mixer.micVolume == 0.5, "the volume itself is the program's")
    }
    rig.manager.set(engineObservers: [rig.manager.mixer])
    try rig.registerCall()
    #expect(!rig.demand.linksDevices)
    rig.unregisterCall()
    rig.manager.set(engineObservers: [rig.manager.audioSession, rig.manager.mixer])
    #expect(try works(), "in the next session")
  }

  @Test("S6 S8: prepared recording uses the microphone, whatever media comes and goes; what another program prepares is no step")
  func prepared() async throws {
    let (rig, tape) = (ManagerRig(), HookTape())
    rig.manager.set(engineObservers: [rig.manager.audioSession, rig.manager.mixer, tape.observer("a")])
    try rig.manager.setRecordingAlwaysPreparedMode(true)
    #expect(tape.drain() == ["a didCreate", "a willEnable -r", "a willConnectInput", "a willStart -r"])
    try rig.manager.registerMedia(id: "mic", isSend: true, isReceive: false)
    rig.manager.unregisterMedia(id: "mic")
    #expect(tape.drain() == [])
    try rig.registerCall()
    #expect(tape.drain() == ["a willEnable pr", "a willConnectOutput"])
    rig.unregisterCall()
    #expect(tape.drain() == ["a didDisable -r"])
    try rig.manager.setRecordingAlwaysPreparedMode(false)
    #expect(tape.drain() == ["a didStop -r", "a didDisable --", "a willRelease"])
    // This setting outlives the session.
    try rig.manager.setRecordingAlwaysPreparedMode(true)
    rig.manager.shutDown()
    _ = tape.drain()
    try rig.manager.registerMedia(id: "ear", isSend: false, isReceive: true)
    #expect(tape.drain() == ["a didCreate", "a willEnable pr", "a willConnectInput", "a willConnectOutput", "a willStart pr"])
    func heard(_ count: Int) async throws -> [String] {
      var lines: [String] = []
      try await wait(for: "\(count) hooks") {
        lines += tape.drain()
        return lines.count >= count
      }
      return lines
    }
    rig.manager.owner.service?.perform(.set(.recordingAlwaysPrepared, false))
    #expect(try await heard(1) == ["a didDisable p-"])
    rig.manager.owner.service?.perform(.set(.recordingAlwaysPrepared, true))
    rig.manager.unregisterMedia(id: "ear")
    #expect(tape.drain() == ["a didDisable --"])
    rig.manager.owner.service?.perform(.set(.recordingAlwaysPrepared, false))
    #expect(try await heard(2) == ["a didStop --", "a willRelease"])
  }

  @Test("S6 S8: a veto of prepared recording throws and leaves nothing prepared, with a session and without one")
  func vetoOfPreparation() throws {
    let (rig, tape) = (ManagerRig(), HookTape())
    rig.manager.set(engineObservers: [rig.manager.audioSession, tape.observer("a"), tape.observer("b", refuses: .willConnectInput)])
    let veto = GraphError.vetoed(EngineVeto(hook: .willConnectInput, error: Refusal.never))
    #expect(error { () throws(GraphError) in try rig.manager.setRecordingAlwaysPreparedMode(true) } == veto)
    #expect(
      tape.drain().filter { $0.hasPrefix("a") }
        == ["a didCreate", "a willEnable -r", "a willConnectInput", "a didDisable --", "a willRelease"])
    #expect(!rig.manager.isRecordingAlwaysPreparedMode && rig.manager.owner.service == nil && rig.world.nodes == 0)
    try rig.manager.registerMedia(id: "ear", isSend: false, isReceive: true)
    let demand = rig.demand
    _ = tape.drain()
    #expect(error { () throws(GraphError) in try rig.manager.setRecordingAlwaysPreparedMode(true) } == veto)
    #expect(tape.drain().filter { $0.hasPrefix("a") } == ["a willEnable pr", "a willConnectInput", "a didDisable p-"])
    #expect(!rig.manager.isRecordingAlwaysPreparedMode && rig.demand == demand && !demand.sends)
    rig.manager.unregisterMedia(id: "ear")
    #expect(rig.world.nodes == 0)
  }

  @Test("S6: setting the chain while a session exists is ignored and logged")
  func locked() throws {
    let (rig, tape) = (ManagerRig(), HookTape())
    try rig.registerCall()
    rig.manager.set(engineObservers: [tape.observer("a")])
    #expect(rig.warnings.count == 1 && rig.demand.linksDevices)
    rig.unregisterCall()
    #expect(tape.drain() == [])
  }

  @Test("S6: a stage put in by a hook is in the session's chains, and released with the engine")
  func stages() throws {
    let rig = ManagerRig()
    let released = Mutex(0)
    struct Wiring: AudioEngineObserver {
      let stage: AudioStage
      func engineWillConnectInput(_ engine: AudioEngine) { _ = engine.captureStages.append(stage) }
      func engineWillConnectOutput(_ engine: AudioEngine) { _ = engine.renderStages.append(stage) }
    }
    let stage = AudioStage(latency: 100, released: { _ in released.withLock { $0 += 1 } }) { _, left, _, _, _ in left[0] = 0 }
    rig.manager.set(engineObservers: [rig.manager.audioSession, Wiring(stage: stage)])
    try rig.registerCall()
    #expect(rig.manager.owner.service?.core.captureStages.latency == 100)
    #expect(rig.manager.owner.service?.core.renderLatency == 100)
    rig.unregisterCall()
    rig.world.forgetGraph()
    #expect(released.withLock { $0 } == 2)
  }
}

private enum Refusal: Error { case never }

private func error(_ body: () throws(GraphError) -> Void) -> GraphError? {
  do throws(GraphError) { try body() } catch { return error }
  return nil
}

/// What observers heard, in order: "a willEnable pr" for playout and recording.
private final class HookTape: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }
  func drain() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
  func observer(_ name: String, refuses: EngineVeto.Hook? = nil) -> TapedObserver {
    TapedObserver(tape: self, name: name, refused: refuses)
  }
}

private struct TapedObserver: AudioEngineObserver {
  let tape: HookTape
  let name: String
  let refused: EngineVeto.Hook?

  private func note(_ hook: String, _ use: EngineUse? = nil) {
    let directions = use.map { " \($0.isPlayoutEnabled ? "p" : "-")\($0.isRecordingEnabled ? "r" : "-")" } ?? ""
    tape.add("\(name) \(hook)\(directions)")
  }
  private func decide(_ hook: EngineVeto.Hook, _ use: EngineUse? = nil) throws {
    if hook == refused { throw Refusal.never }
    note(hook.rawValue, use)
  }
  func engineDidCreate(_ engine: AudioEngine) throws { try decide(.didCreate) }
  func engineWillEnable(_ engine: AudioEngine, use: EngineUse) throws { try decide(.willEnable, use) }
  func engineWillConnectInput(_ engine: AudioEngine) throws { try decide(.willConnectInput) }
  func engineWillConnectOutput(_ engine: AudioEngine) throws { try decide(.willConnectOutput) }
  func engineWillStart(_ engine: AudioEngine, use: EngineUse) throws { try decide(.willStart, use) }
  func engineDidStop(_ engine: AudioEngine, use: EngineUse) { note("didStop", use) }
  func engineDidDisable(_ engine: AudioEngine, use: EngineUse) { note("didDisable", use) }
  func engineWillRelease(_ engine: AudioEngine) { note("willRelease") }
}
