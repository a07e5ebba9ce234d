import Synchronization
import Testing

@testable import Nearend

@Suite("Calls as handles: sound", .timeLimit(.minutes(2)))
struct CallSoundTests {
  private func rendered() throws -> AudioSession {
    let session = AudioSession(GraphWorld().makeOwner())
    try session.set(.useVoiceProcessingIO(false))
    try session.configure { $0.reference = .mix }
    #expect(session.owner.setManualRendering(true))
    return session
  }

  /// A class, because Swift 6.0 crashes on a mutex in a function with an `async let`.
  private final class End: Sendable {
    private let state = Mutex(false)
    var isOver: Bool { state.withLock { $0 } }
    func come() { state.withLock { $0 = true } }
  }

  @Test("K2, K3: audio longer than the buffer is played whole, piece by piece, and nothing is dropped")
  func plays() async throws {
    let session = try rendered()
    let call = try await session.join("call")
    let output = try call.makeOutput(sampleRate: 48_000, bufferDuration: .milliseconds(100))
    let renderer = try #require(session.owner.manualRenderer)
    let end = End()
    async let loud = Task.detached {
      var loud = 0
      while !end.isOver {
        loud += try renderer.cycle(microphone: [Float](repeating: 0, count: 480)).speaker.left.count { $0 > 0.24 }
        await Task.yield()
      }
      return loud
    }.value
    try await output.play([Int16](repeating: 8_192, count: 96_000))
    try await wait(for: "the rest to be played") { output.buffered == .zero }
    end.come()
    #expect(try await loud > 48_000)
    #expect(output.status.map { $0.totalDrops == 0 && $0.framesPlayed == 96_000 } == true)
    let endless = Task { () -> WriteError? in
      do throws(WriteError) { try await output.play([Int16](repeating: 0, count: 48_000)) } catch { return error }
      return nil
    }
    endless.cancel()
    #expect(await endless.value == .cancelled)
  }

  @Test("L5: the microphone is a sequence of buffers with their time, and ends with the loop or the task that takes it")
  func takes() async throws {
    let session = try rendered()
    let call = try await session.join("call")
    let renderer = try #require(session.owner.manualRenderer)
    try await wait(for: "the session to send") { renderer.isSending }
    func readThree(_ microphone: Call.Microphone) async throws -> [Duration] {
      for _ in 0..<4 { _ = try renderer.cycle(microphone: [Float](repeating: 0.25, count: 480)) }
      var times: [Duration] = []
      for await buffer in microphone {
        #expect(buffer.duration == .milliseconds(10))
        #expect(buffer.samples.allSatisfy { $0 == 8_192 })
        times.append(buffer.time)
        if times.count == 3 { break }
      }
      return times
    }
    let times = try await readThree(try call.microphone(sampleRate: 48_000, channels: 1))
    #expect(times == [.zero, .milliseconds(10), .milliseconds(20)])
    #expect(session.owner.session.source?.mediaId == nil)
    let task = Task { for await _ in try call.microphone() {} }
    try await wait(for: "the task to take it") { session.owner.session.source?.mediaId == "call" }
    task.cancel()
    try await task.value
    #expect(session.owner.session.source?.mediaId == nil)
  }
}
