import Foundation
import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization
import Testing

@testable import Nearend

/// What `AudioSession` has besides calls: each member once, as a Swift program uses it, and what it throws.
@Suite("A session without its ported names", .timeLimit(.minutes(1)))
struct SessionTests {
  private static let jingle = try! AppAudioBuffer(interleaved: [Int16](repeating: 500, count: 48_000), sampleRate: 48_000, channelCount: 1)

  /// Returns the error that `body` throws; nil if it throws none.
  private func thrown<Value, Failure: Error>(_ body: () throws(Failure) -> Value) -> Failure? {
    do throws(Failure) { _ = try body() } catch { return error }
    return nil
  }

  /// Counts the steps of engines.
  private final class Steps: AudioEngineObserver {
    private let steps = Mutex(0)
    var count: Int { steps.withLock { $0 } }
    func engineDidCreate(_ engine: AudioEngine) { steps.withLock { $0 += 1 } }
    func engineWillRelease(_ engine: AudioEngine) { steps.withLock { $0 += 1 } }
  }

  @Test("D4: application audio is played while a call sends; otherwise the error says why not, and none of it is played")
  func playsIntoMicrophone() async throws {
    let session = AudioSession(GraphWorld().makeOwner())
    func refusal() -> MicrophonePlayError? {
      thrown { () throws(MicrophonePlayError) in try session.playIntoMicrophone(Self.jingle) }
    }
    #expect(refusal() == .notSending)
    do {
      let call = try await session.join("listener", sends: false)
      #expect(refusal() == .notSending)
      await call.end()
    }
    let call = try await session.join("call")
    #expect(refusal() == nil && refusal() == nil)
    #expect(refusal() == .full, "two seconds wait already")
    let service = try #require(session.owner.service), format = try SinkFormat(sampleRate: 48_000, channelCount: 1, sampleType: .int16)
    for number in 1..<Mixer.capacity { _ = try service.addAppAudio(id: "stream \(number)", format: format, bufferSize: 9_600) }
    let another = try AppAudioBuffer(interleaved: [Int16](repeating: 500, count: 160), sampleRate: 16_000, channelCount: 1)
    #expect(thrown { () throws(MicrophonePlayError) in try session.playIntoMicrophone(another) } == .unavailable, "a stream too many")
    #expect(refusal() == .full, "the one that plays goes on")
    session.appAudioVolume = 0.5
    session.isAppAudioDucked = true
    session.isAppAudioMonitored = true
    #expect(session.appAudioVolume == 0.5 && session.isAppAudioDucked && session.isAppAudioMonitored)
    await call.end()
    try session.setEngineObservers([], mixesAppAudio: false)
    let silent = try await session.join("call")
    #expect(refusal() == .notMixed)
    await silent.end()
  }

  @Test("S8: recording is prepared without a call, from threads and from tasks; why it cannot be is thrown, and nothing has changed")
  func prepared() async throws {
    let rig = ManagerRig()
    let session = AudioSession(rig.manager.owner)
    rig.world.fail(with: .noDaemon(reason: "no daemon"))
    #expect(thrown { () throws(GraphError) in try session.setRecordingPrepared(true) } == .noDaemon(reason: "no daemon"))
    #expect(!session.isRecordingPrepared && rig.world.nodes == 0)
    rig.world.fail(with: nil)
    func prepare(_ on: Bool) throws { try session.setRecordingPrepared(on) }
    try prepare(true)
    #expect(session.isRecordingPrepared && rig.manager.isRecordingAlwaysPreparedMode && rig.world.nodes == 1 && rig.demand.opensMicrophone)
    try await session.setRecordingPrepared(false)
    #expect(!session.isRecordingPrepared && rig.world.nodes == 0)
    try await session.setRecordingPrepared(true)
    try prepare(false)
    #expect(rig.world.nodes == 0)
  }

  @Test("S1, S2: a call manager's session links between activation and deactivation; one that manages itself refuses both")
  func activation() async throws {
    let rig = ManagerRig()
    let session = AudioSession(rig.manager.owner)
    #expect(thrown { () throws(SessionRefusal) in try session.activate() } == .notManual)
    #expect(thrown { () throws(SessionRefusal) in try session.deactivate() } == .notManual)
    #expect(rig.warnings == [], "the error says it")
    try session.set(.manualAudioSessionManagement(true))
    let call = try await session.join("call")
    #expect(session.isManuallyActivated && !session.isActive && session.unit == nil && rig.demand == SessionDemand())
    try session.activate()
    #expect(session.isActive && session.unit?.state == .active && rig.demand == ManagerRig.call)
    try session.deactivate()
    #expect(!session.isActive && rig.demand == SessionDemand() && !call.hasEnded)
    await call.end()
  }

  @Test("S5: the session's automatic handling can be switched off, and its end by itself")
  func automatic() async throws {
    let rig = ManagerRig()
    let session = AudioSession(rig.manager.owner)
    #expect(session.isAutomaticConfigurationEnabled && session.isAutomaticDeactivationEnabled)
    session.isAutomaticDeactivationEnabled = false
    let call = try await session.join("call")
    session.isAutomaticConfigurationEnabled = false
    #expect(!rig.demand.linksDevices)
    session.isAutomaticConfigurationEnabled = true
    await call.end()
    #expect(rig.world.nodes == 1, "it outlasts the last call")
    session.isAutomaticDeactivationEnabled = true
    #expect(rig.world.nodes == 0)
  }

  @Test("R5: what an unplugged headphone has paused is resumed once")
  func unplugged() async throws {
    let rig = ManagerRig()
    let session = AudioSession(rig.manager.owner)
    session.resumeAfterUnplug()
    #expect(!session.isPausedAfterUnplug)
    let call = try await session.join("call")
    try rig.graph.use(RouteStatus(isPausedAfterUnplug: true))
    #expect(session.isPausedAfterUnplug)
    session.resumeAfterUnplug()
    #expect(!session.isPausedAfterUnplug)
    await call.end()
  }

  @Test("S6: observers are called in each session from the next on; while one exists they are refused with an error")
  func observers() async throws {
    let rig = ManagerRig()
    let (session, steps) = (AudioSession(rig.manager.owner), Steps())
    try session.setEngineObservers([steps])
    let call = try await session.join("call")
    #expect(steps.count == 1 && rig.demand.linksDevices)
    #expect(thrown { () throws(SessionRefusal) in try session.setEngineObservers([]) } == .locked(setting: "setEngineObservers"))
    await call.end()
    #expect(steps.count == 2)
    try session.setEngineObservers([], handlesSession: false)
    let unlinked = try await session.join("call")
    #expect(steps.count == 2 && !rig.demand.linksDevices)
    await unlinked.end()
  }

  @Test("S9: sessions without a daemon: the program runs their cycles; while one exists the mode is locked, with an error")
  func manualRendering() async throws {
    let world = GraphWorld()
    let session = AudioSession(world.makeOwner())
    try session.setManualRendering(true)
    #expect(session.isManualRendering && session.manualRenderer == nil)
    let call = try await session.join("call")
    #expect(world.starts == 0 && session.manualRenderer != nil)
    try session.setManualRendering(true)
    #expect(thrown { () throws(SessionRefusal) in try session.setManualRendering(false) } == .locked(setting: "setManualRendering"))
    await call.end()
    try session.setManualRendering(false)
    #expect(!session.isManualRendering)
  }

  private final class Dates: Sendable {
    private let dates = Mutex<[Date]>([])
    var all: [Date] { dates.withLock { $0 } }
    func add(_ date: Date) { dates.withLock { $0.append(date) } }
  }

  @Test("T1: a log entry has its date")
  func dates() async throws {
    let (session, dates, began) = (AudioSession(GraphWorld().makeOwner()), Dates(), Date())
    try session.configure { $0.log = { dates.add($0.date) } }
    try await session.setRecordingPrepared(true)
    try await wait(for: "an entry") { !dates.all.isEmpty }
    try await session.setRecordingPrepared(false)
    #expect(dates.all.allSatisfy { (began...Date()).contains($0) })
  }

  /// The frames that a callback has received.
  private final class Received: Sendable {
    private let frames = Mutex(0)
    var count: Int { frames.withLock { $0 } }
    func add(_ new: Int) { frames.withLock { $0 += new } }
  }

  @Test("L5, S3: a tap receives each cycle until it ends, by end() or when it is let go; there is one source at a time")
  func taps() async throws {
    let session = AudioSession(GraphWorld().makeOwner())
    try session.setManualRendering(true)
    let (call, ear) = (try await session.join("call"), try await session.join("ear", sends: false))
    let renderer = try #require(session.manualRenderer)
    try await wait(for: "the session to send") { renderer.isSending }
    let received = Received()
    func tap(_ call: Call) throws(MicrophoneError) -> MicrophoneTap {
      try call.tapMicrophone(context: Unmanaged.passUnretained(received).toOpaque()) { context, _, frames, _, _, _ in
        Unmanaged<Received>.fromOpaque(context!).takeUnretainedValue().add(frames)
      }
    }
    func cycle() throws { _ = try renderer.cycle(microphone: [Float](repeating: 0.25, count: 480)) }
    #expect(thrown { () throws(MicrophoneError) in try tap(ear) } == .doesNotSend(id: "ear"))
    var first: MicrophoneTap? = try tap(call)
    try cycle()
    #expect(received.count == 480)
    #expect(thrown { () throws(MicrophoneError) in try call.microphone() } == .taken(by: "call"))
    first?.end()
    let second = try tap(call)
    first = nil
    try cycle()
    #expect(received.count == 960, "a tap that has ended takes nothing from the next")
    await call.end()
    #expect(thrown { () throws(MicrophoneError) in try tap(call) } == .callEnded(id: "call"))
    second.end()
    await ear.end()
  }
}
