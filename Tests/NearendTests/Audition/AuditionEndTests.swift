import SessionModel
import Synchronization
import Testing

@testable import Nearend

/// The end of a person's hearing themselves, with a clock that stands.
@Suite("The end of hearing oneself")
struct AuditionEndTests {
  /// A clock that only moves when it is told to, and counts how often it was read.
  private final class StandingClock: Sendable {
    private let state = Mutex((time: 0.0, readings: 0))

    func read() -> Double {
      state.withLock {
        $0.readings += 1
        return $0.time
      }
    }
    var readings: Int { state.withLock { $0.readings } }
    func advance(by seconds: Double) { state.withLock { $0.time += seconds } }
  }

  /// A session that is not started, with two devices.
  private struct Rig {
    let world = GraphWorld()
    let clock = StandingClock()
    let service: NearendService
    let auditions: Auditions

    init() throws {
      let events = EventBus()
      service = try NearendService(NearendOptions(), log: EventLog(events), events: events, makeGraph: world.makeGraph)
      let graph = try #require(world.graph)
      graph.use(RouteStatus(microphone: Self.device(.input), speaker: Self.device(.output)))
      auditions = Auditions(core: service.core, session: service.session, log: service.log, clock: clock.read)
      auditions.connect(to: graph)
    }

    private static func device(_ direction: Device.Direction) -> Device {
      Device(name: "hw.\(direction)", description: "A device", direction: direction)
    }
  }

  @Test("L4: it is not listed as a user; stopped, it ends once its sound has faded, and holds nobody up meanwhile")
  func fades() async throws {
    let rig = try Rig()
    let (auditions, clock) = (rig.auditions, rig.clock)
    let number = try auditions.begin(seconds: 5)
    let session = rig.service.snapshot().session
    #expect(session.state == .active && session.sendMedia.isEmpty && session.receiveMedia.isEmpty, "a person is no user of the microphone")
    auditions.cancel(number)
    let before = clock.readings
    try await wait(for: "several steps, which look at the clock") { clock.readings > before + 4 }
    #expect(auditions.status?.isActive == true && rig.service.core.controls.isAuditioned, "it is fading")
    #expect(throws: AuditionRefusal.busy) { try auditions.begin(seconds: 5) }

    clock.advance(by: 1)
    try await wait(for: "the end") { auditions.status?.phase == .ended }
    #expect(auditions.status?.reason == "it was stopped")
    #expect(!rig.service.core.controls.isAuditioned && !rig.service.session.current.isAuditioned)
    _ = try auditions.begin(seconds: 5)
    auditions.stop()
  }

  @Test("L8: when nearend ends, so does it, at once")
  func stops() throws {
    let rig = try Rig()
    let auditions = rig.auditions
    _ = try auditions.begin(seconds: 5)
    auditions.stop()
    #expect(auditions.status?.phase == .ended && auditions.status?.reason == "nearend ends")
    #expect(!rig.service.core.controls.isAuditioned && !rig.service.core.audition.holdsRecording)
  }
}
