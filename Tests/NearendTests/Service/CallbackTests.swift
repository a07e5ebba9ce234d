import Foundation
import PipeWireGraph
import SessionModel
import Synchronization
import Testing

@testable import Nearend

/// Callbacks called for as long as nearend runs: the thousandth call must not be deeper on the stack than the first.
@Suite("Callbacks")
struct CallbackTests {
  /// The number of stack frames at each call.
  private final class Depths: Sendable {
    private let depths = Mutex<[Int]>([])

    func note() {
      let depth = Thread.callStackReturnAddresses.count
      depths.withLock { $0.append(depth) }
    }
    var count: Int { depths.withLock { $0.count } }
    /// The difference in depth between the last and the first call.
    var growth: Int { depths.withLock { ($0.last ?? 0) - ($0.first ?? 0) } }
  }
  private static let calls = 50
  /// Frames by which the depth may vary for other reasons.
  private static let slack = 25

  private func makeService() throws -> NearendService {
    let world = GraphWorld()
    let events = EventBus()
    return try NearendService(NearendOptions(), log: EventLog(events), events: events) {
      GraphDouble(core: $0, options: $1, listener: $2, world: world)
    }
  }

  @Test("L8: an event does not deepen a subscriber's stack each time")
  func bus() throws {
    let service = try makeService()
    let depths = Depths()
    let subscription = service.events.subscribe { if case .event = $0 { depths.note() } }
    for _ in 0..<Self.calls {
      service.session.send(.registerMedia(id: "ear", isSend: false, isReceive: true))
      service.session.send(.unregisterMedia(id: "ear"))
    }
    subscription.cancel()
    #expect(depths.count == 2 * Self.calls)
    #expect(depths.growth < Self.slack)
  }

  @Test("L8: a snapshot's completion does not deepen the stack with each snapshot")
  func completion() throws {
    let service = try makeService()
    let depths = Depths()
    service.completeSnapshots { _ in depths.note() }
    for _ in 0..<Self.calls { _ = service.snapshot() }
    #expect(depths.count == Self.calls)
    #expect(depths.growth < Self.slack)
  }

  @Test("L8: a program's log does not deepen the stack with each remark")
  func log() async throws {
    let outlet = LogOutlet()
    let depths = Depths()
    outlet.set { _ in depths.note() }
    for call in 1...Self.calls {
      outlet.tell(LogEntry(time: 0, level: .info, message: "again"))
      try await wait(for: "remark \(call)") { depths.count == call }
    }
    #expect(depths.growth < Self.slack)
  }
}
