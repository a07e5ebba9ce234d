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

  /// What a callback may do that ends itself.
  enum OwnEnd: String, CaseIterable, Sendable {
    case tap, call, input, media, session, deactivation
  }

  /// What a callback ends, in its first cycle.
  private final class Suicide: Sendable {
    let end = Mutex<(@Sendable () -> Void)?>(nil)
    func called() {
      let end = end.withLock { end in
        defer { end = nil }
        return end
      }
      end?()
    }
  }

  @Test("L5, L8: a callback that ends itself returns, and is not called any more", arguments: OwnEnd.allCases)
  func byItself(own: OwnEnd) async throws {
    let session = AudioSession(GraphWorld().makeOwner())
    let manager = AudioSessionManager(session.owner)
    try session.setManualRendering(true)
    manager.manualAudioSessionManagement = own == .deactivation
    let keeper = try await session.join("keeper", sends: false)
    let call = try await session.join("call")
    if own == .deactivation { try session.activate() }
    let renderer = try #require(session.manualRenderer)
    try await wait(for: "the session to send") { renderer.isSending }
    let suicide = Suicide()
    let tap = try call.tapMicrophone(context: Unmanaged.passUnretained(suicide).toOpaque()) { context, _, _, _, _, _ in
      Unmanaged<Suicide>.fromOpaque(context!).takeUnretainedValue().called()
    }
    suicide.end.withLock {
      $0 = {
        switch own {
        case .tap: tap.end()
        case .call: call.end()
        case .input: manager.unregisterMicrophoneInput(mediaId: "call")
        case .media: manager.unregisterMedia(id: "call")
        case .session: session.shutDown()
        case .deactivation: try? session.deactivate()
        }
      }
    }
    let isOver = Mutex(false)
    Thread.detachNewThread {
      _ = try? renderer.cycle(microphone: [Float](repeating: 0.25, count: 480))
      isOver.withLock { $0 = true }
    }
    try await wait(for: "the callback to return") { isOver.withLock { $0 } }
    #expect(suicide.end.withLock { $0 == nil }, "it was called")
    try await wait(for: "the end") { session.owner.session.source?.phase != .running }
    withExtendedLifetime((suicide, tap)) {}
    await keeper.end()
    await session.shutDown()
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
