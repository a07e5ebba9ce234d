import Foundation
import SessionModel
import TestSupport
import Testing

@testable import Nearend

@Suite("Joined calls", .serialized)
struct JoinedCallTests {
  @Test("O8, K2, L5: a call in a joined session is a handle, too: heard without a drop, with its microphone, and gone when it is let go")
  func call() async throws {
    let rig = try ControlRig(speed: 2)
    defer { rig.stop() }
    rig.service.core.isSending = true
    let session = AudioSession(JoinedProgram(rig).manager.owner)
    var call: Call? = try await session.join("call")
    #expect(session.mode == .joined)
    var output = try call?.makeOutput()
    let microphone = try #require(try call?.microphone(sampleRate: 16_000))
    try await output?.play(pcm(sine(700, frames: 96_000, level: 0.25)))
    #expect(output?.status?.totalDrops == 0)
    #expect(rig.wait { rig.snapshot.sinks.first?.framesRead == 96_000 })
    #expect(rig.played.max().map { $0 > 0.24 } == true)
    var iterator = microphone.makeAsyncIterator()
    #expect(await iterator.next()?.duration == .milliseconds(10))

    call = nil
    #expect(rig.snapshot.session.sendMedia == ["call"], "its output and its microphone hold it")
    output = nil
    microphone.end()
    #expect(await iterator.next() == nil)
    await microphone.call.end()
    #expect(rig.wait { rig.snapshot.session.sendMedia.isEmpty && rig.snapshot.sinks.isEmpty && rig.service.clientCount == 0 })
  }

  @Test("O8, L2: media that the host takes back ends its call, and an id is free again at once")
  func takenBack() async throws {
    let rig = try ControlRig(speed: 2)
    defer { rig.stop() }
    let session = AudioSession(JoinedProgram(rig).manager.owner)
    let call = try await session.join("call", sends: false)
    let output = try call.makeOutput()
    rig.service.session.send(.unregisterMedia(id: "call"))
    #expect(eventually { call.hasEnded })
    #expect(throws: WriteError.ended(id: "call")) { try output.write([Int16](repeating: 0, count: 480)) }
    let again = try await session.join("call", sends: false)
    #expect(!again.hasEnded && rig.wait { rig.snapshot.session.receiveMedia == ["call"] })
  }
}
