import Foundation
import Nearend
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// `Call` and its handles in a live graph.
  @Suite("Calls", .serialized)
  struct Calls {
    /// Uses the shared session, as a program does: each test ends its calls.
    private func with<T>(_ session: PrivateSession, _ body: (AudioSession) async throws -> T) async throws -> T {
      let audio = AudioSession.shared
      await audio.shutDown()
      try audio.configure {
        $0 = AudioSessionConfiguration(
          remote: session.socket, interruptions: InterruptionOptions(systemBus: .none),
          controlSocket: "\(session.path)/nearend/control.sock"
        )
      }
      do {
        let value = try await body(audio)
        await audio.shutDown()
        try audio.configure { $0 = AudioSessionConfiguration(controlSocket: nil) }
        return value
      } catch {
        await audio.shutDown()
        try audio.configure { $0 = AudioSessionConfiguration(controlSocket: nil) }
        throw error
      }
    }

    /// The values that a task has received so far.
    private final class Taken<Value: Sendable>: Sendable {
      private let values = Mutex<[Value]>([])
      var all: [Value] { values.withLock { $0 } }
      func add(_ new: [Value]) { values.withLock { $0 += new } }
    }

    @Test("K1, K2, L5: a joined call is heard at the speaker, its microphone has the voice, and both end with it")
    func call() async throws {
      let session = try LiveGraph.session(.hardware)
      try await with(session) { audio in
        let call = try await audio.join("call")
        let output = try call.makeOutput(sampleRate: 16_000)
        let voice = Taken<Float>()
        let taking = Task {
          for await buffer in try call.microphone(sampleRate: 16_000, channels: 1) { voice.add(buffer.samples.map { Float($0) / 32_768 }) }
        }
        let tone = pcm(sine(500, frames: 16_000, rate: 16_000, level: 0.2))
        let playing = Task { while true { try await output.play(tone) } }

        let near = try Speech(.nearEnd, rate: 48_000).samples
        let probe = try GraphProbe(socket: session.socket, play: ["near": near], record: ["speaker"], frames: 4 * 48_000)
        let links = [("nearend:speaker_FL", probe.recordPort("speaker")), (probe.playPort("near"), "hw.mic:input_MONO")]
        try session.wait(forPorts: links.flatMap { [$0.0, $0.1] })
        for (from, to) in links {
          _ = try session.run("pw-link", from, to)
          try session.wait(for: "\(from) → \(to)") { try session.links()[.init(from: from, to: to)] == "active" }
        }
        try session.wait(for: "the call to play") { output.status?.state == .playing }
        let heard = try #require(try probe.run().samples["speaker"])
        #expect(Measures.share(ofTone: 500, in: heard, rate: 48_000) > 0.9)
        try session.wait(for: "four seconds of the microphone") { voice.all.count > 64_000 }
        #expect(Measures.activeLevel(voice.all, rate: 16_000).map { $0 > -40 } == true, "somebody talks in it")
        #expect(output.status?.totalDrops == 0)
        #expect(audio.isActive && audio.mode == .own && audio.route.outputs.count == 1)

        playing.cancel()
        #expect(await playing.result.failure as? WriteError == .cancelled)
        await call.end()
        try await taking.value
        #expect(throws: WriteError.ended(id: "call")) { try output.write(tone) }
        try session.wait(for: "nearend to be gone") { try GraphDump(session).ourNodes.isEmpty }
      }
    }

    @Test("L2: without a daemon joining throws why, typed; nothing is registered, and with one it works")
    func errors() async throws {
      let session = try LiveGraph.session(.hardware)
      try await with(session) { audio in
        try audio.configure { $0.remote = "/tmp/no-such-folder/pipewire-0" }
        do throws(JoinError) {
          _ = try await audio.join("call")
          Issue.record("joined without a daemon")
        } catch {
          guard case .cannotStart(.noDaemon(let reason)) = error else {
            Issue.record(error)
            return
          }
          #expect(reason.contains("/tmp/no-such-folder/pipewire-0"))
        }
        #expect(audio.mode == nil)
        try audio.configure { $0.remote = session.socket }
        let call = try await audio.join("call", sends: false)
        #expect(throws: MicrophoneError.doesNotSend(id: "call")) { _ = try call.microphone() }
        try session.wait(for: "nearend") { try GraphDump(session).ourNodes.count == 3 }
      }
    }

    @Test("T3, K5: a call's events are reported in order: it joins, a setting changes, its output runs dry, it leaves")
    func events() async throws {
      let session = try LiveGraph.session(.hardware)
      try await with(session) { audio in
        let events = Taken<AudioSession.Event.Kind>()
        let (sequence, told) = (audio.events, Date())
        let following = Task {
          for await event in sequence {
            #expect(event.missed == 0 && event.date > told.addingTimeInterval(-1))
            events.add([event.kind])
          }
        }
        var call: Call? = try await audio.join("call", sends: false)
        audio.isMicrophoneMuted = true
        audio.isMicrophoneMuted = false
        var output = try call?.makeOutput(bufferDuration: .milliseconds(200))
        try await output?.play([Int16](repeating: 1_000, count: 24_000))
        try session.wait(for: "the output to have run dry") { events.all.contains(.outputRanDry(id: "call", total: 1)) }
        (call, output) = (nil, nil)
        try session.wait(for: "the call to have left") { events.all.contains(.left(id: "call")) }
        let expected: [AudioSession.Event.Kind] = [
          .joined(id: "call"), .settingChanged(.microphoneMuted, true), .settingChanged(.microphoneMuted, false),
          .outputRanDry(id: "call", total: 1), .left(id: "call"),
        ]
        #expect(events.all.filter(expected.contains) == expected)
        following.cancel()
        await following.value
      }
    }
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
