import Foundation
import RealtimeCore
import Synchronization
import Testing

@testable import Nearend

@Suite("Taps that end together with their calls", .timeLimit(.minutes(2)))
struct TapEndTests {
  /// Who may end a tap at the moment at which the program does.
  enum Other: String, CaseIterable, Sendable {
    case call, media, tap, session
  }

  /// What a callback uses until its tap has ended.
  private final class Context: Sendable {
    let hasEnded = Atomic(false)
    let isOver = Atomic(false)
    let calls = Atomic(0)
    let lateCalls = Atomic(0)

    func called() {
      calls.add(1, ordering: .relaxed)
      // Long enough that an end that does not wait is seen.
      for _ in 0..<20 where hasEnded.load(ordering: .acquiring) { lateCalls.add(1, ordering: .relaxed) }
    }
  }

  @Test(
    "L5, L8: a tap's callback is not called after end() has returned, although its call ends at the same moment", arguments: Other.allCases)
  func together(other: Other) async throws {
    let session = AudioSession(GraphWorld().makeOwner())
    try session.setManualRendering(true)
    let keeper = try await session.join("keeper", sends: false)
    var heard = 0
    for round in 0..<40 {
      let call = try await session.join("call")
      let renderer = try #require(session.manualRenderer)
      try await wait(for: "the session to send") { renderer.isSending }
      let context = Context()
      let tap = try call.tapMicrophone(context: Unmanaged.passUnretained(context).toOpaque()) { context, _, _, _, _, _ in
        Unmanaged<Context>.fromOpaque(context!).takeUnretainedValue().called()
      }
      Self.race(renderer, tap, context) {
        for _ in 0..<(round % 8) * 50 { _ = context.calls.load(ordering: .relaxed) }
        switch other {
        case .call: call.end()
        case .media: session.owner.unregister(id: "call")
        case .tap: tap.end()
        case .session: if round == 39 { session.shutDown() } else { call.end() }
        }
      }
      #expect(context.lateCalls.load(ordering: .relaxed) == 0, "round \(round)")
      heard += context.calls.load(ordering: .relaxed)
      await call.end()
      withExtendedLifetime(context) {}
    }
    #expect(heard > 0)
    await keeper.end()
  }

  /// Runs cycles until the tap has ended, and `end` at about the same moment. In threads: a queue has no more than the machine has cores.
  private static func race(_ renderer: ManualRenderer, _ tap: MicrophoneTap, _ context: Context, _ end: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let cycles: @Sendable () -> Void = {
      while !context.isOver.load(ordering: .acquiring) { _ = try? renderer.cycle(microphone: [Float](repeating: 0.25, count: 480)) }
    }
    let endsTap: @Sendable () -> Void = {
      while context.calls.load(ordering: .relaxed) == 0 {}
      tap.end()
      context.hasEnded.store(true, ordering: .releasing)
      usleep(500)
      context.isOver.store(true, ordering: .releasing)
    }
    let endsOther: @Sendable () -> Void = {
      while context.calls.load(ordering: .relaxed) == 0 {}
      end()
    }
    for work in [cycles, endsTap, endsOther] {
      Thread.detachNewThread {
        work()
        done.signal()
      }
    }
    for _ in 0..<3 { done.wait() }
  }
}
