import ControlClient
import Foundation
import RealtimeCore
import SessionModel
import TestSupport
import Testing

@testable import Nearend

@Suite("Application audio over the socket", .serialized)
struct AppAudioEndpointTests {
  private static func upload(_ rig: ControlRig, _ target: String, _ bytes: [UInt8]) throws -> HTTPAnswer? {
    let file = "\(rig.folder)/pcm"
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    let input = open(file, O_RDONLY)
    defer { close(input) }
    return try rig.client.upload("PUT", target, from: input)
  }

  @Test("D4: a client's audio plays into the microphone to the last frame, and its source is then removed", arguments: ["s16", "f32"])
  func plays(type: String) throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    rig.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: false))
    rig.service.core.isSending = true
    let samples = sine(1_000, frames: 48_000, level: 0.25)
    let bytes =
      type == "s16"
      ? pcm(samples).withUnsafeBytes { Array($0) } : samples.withUnsafeBytes { Array($0) }
    let answer = try Self.upload(rig, "/appaudio/jingle?rate=48000&channels=1&type=\(type)", bytes)
    #expect(answer?.status == 200)
    let counts = try #require(JSONSerialization.jsonObject(with: answer?.body ?? Data()) as? [String: Any])
    #expect(counts["framesPlayed"] as? Int == 48_000 && counts["drops"] as? Int == 0)
    #expect(rig.snapshot.appAudio.sources.isEmpty)
    let voice = rig.outgoing.reduce(0) { max($0, abs($1)) }
    #expect(abs(voice - 0.25) < 0.02, "\(voice)")
  }

  @Test("D4: application audio waits for a recorder and is listed; duplicate names, wrong and unknown types are refused with a reason")
  func refusals() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    let client = try rig.raw()
    client.send("PUT /appaudio/jingle?type=f32 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\0\0\0\0\r\n")
    #expect(rig.wait { rig.snapshot.appAudio.sources.first?.id == "jingle" })
    #expect(!rig.snapshot.appAudio.isSounding)
    #expect(try Self.upload(rig, "/appaudio/jingle", [0, 0])?.status == 409)
    #expect(try Self.upload(rig, "/appaudio/other?type=u8", [0])?.status == 400)
    let impossible = [
      ("rate=1", "1 Hz is impossible"), ("rate=0", "0 Hz is impossible"), ("rate=192001", "8000 to 192000"), ("channels=9", "give 1 or 2"),
      ("channels=0", "give 1 or 2"), ("buffer=0", "10 to 10000"),
    ]
    for (query, words) in impossible {
      let answer = try Self.upload(rig, "/appaudio/other?\(query)", [0])
      #expect(answer?.status == 422 && answer?.reason.contains(words) == true, "\(query): \(answer?.reason ?? "no answer")")
    }
    #expect(try Self.upload(rig, "/appaudio/(program)", [0])?.status != 200)
    #expect(try rig.refusal(404, "DELETE", "/appaudio/nobody")?.contains("jingle") == true)
    #expect(try rig.request("DELETE", "/appaudio/jingle").isSuccess)
    #expect(rig.wait { rig.snapshot.appAudio.sources.isEmpty })
  }

  @Test(
    "D4: NaN is silence; a body that ends within a frame is reported; an empty one plays nothing; without the mixer it is refused"
  )
  func bodies() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    rig.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: false))
    rig.service.core.isSending = true
    let samples = [Float](repeating: .nan, count: 12_000) + [Float](repeating: .infinity, count: 12_000)
    let bytes = samples.withUnsafeBytes { Array($0) }
    #expect(try Self.upload(rig, "/appaudio/bad?type=f32", bytes)?.status == 200)
    #expect(rig.outgoing.allSatisfy { $0 == 0 })
    let half = try Self.upload(rig, "/appaudio/half?type=f32&channels=2", [UInt8](repeating: 0, count: 12))
    #expect(half?.status == 422 && half.map { String(decoding: $0.body, as: UTF8.self).contains("a frame has 8 bytes") } == true)
    #expect(try Self.upload(rig, "/appaudio/empty", [])?.status == 200)
    #expect(rig.snapshot.appAudio.sources.isEmpty)
    rig.service.core.appAudio.isEnabled = false
    let refused = try Self.upload(rig, "/appaudio/late", [0, 0])
    #expect(refused?.status == 409 && refused?.reason.contains("do not include the mixer") == true, "\(refused?.reason ?? "no answer")")
  }

  @Test("D1 D5 S8: the settings by name; setting the same value again posts no event")
  func settings() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    #expect(
      try rig.request(
        "PATCH", "/settings",
        #"{"microphoneMuteMode": "restart", "prepared": true, "micVolume": 0.5, "appVolume": 0.25, "appDucking": true, "appMonitor": true}"#
      ).isSuccess)
    let snapshot = rig.snapshot
    #expect(snapshot.session.microphoneMuteMode == .restart && snapshot.session.isRecordingAlwaysPrepared)
    #expect(snapshot.appAudio.micVolume == 0.5 && snapshot.appAudio.appVolume == 0.25)
    #expect(snapshot.appAudio.isDucking && snapshot.appAudio.isMonitored)
    #expect(
      try rig.refusal(422, "PATCH", "/settings", #"{"mutemode": "loud"}"#)?.contains("voiceProcessing, restart or inputMixer") == true)
    for _ in 0..<3 { #expect(try rig.request("POST", "/mute").isSuccess) }
    #expect(rig.snapshot.log.count { $0.message == "microphone muted" } == 1)
    #expect(rig.snapshot.session.isMicrophoneMuted)
  }
}
