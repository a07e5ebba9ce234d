import ControlClient
import Foundation
import SessionModel
import SimulatedHardware
import TestSupport
import Testing

@testable import Nearend

@Suite("Sinks over the socket", .serialized)
struct SinkTests {
  /// Noise in the socket's sample format.
  private static func pcm(frames: Int, seed: UInt64 = 1) -> [Int16] {
    TestSupport.pcm(noise(frames: frames, level: 0.25, seed: seed))
  }

  private static func bytes(_ samples: [Int16]) -> [UInt8] { samples.withUnsafeBytes { Array($0) } }

  private static func chunk(_ bytes: [UInt8]) -> [UInt8] { Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10] }

  private func put(_ rig: ControlRig, _ id: String, query: String = "rate=48000&channels=1") throws -> RawClient {
    let client = try rig.raw()
    client.send("PUT /sinks/\(id)?\(query) HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    return client
  }

  @Test("K1 K2: ten seconds that come at once take ten seconds to play, and every frame is played", arguments: [2])
  func backPressure(channels: Int) throws {
    let rig = try ControlRig(speed: 1)
    defer { rig.stop() }
    let samples = Self.pcm(frames: 10 * 48_000 * channels)
    let file = "\(rig.folder)/pcm"
    try Data(Self.bytes(samples)).write(to: URL(fileURLWithPath: file))
    let input = open(file, O_RDONLY)
    defer { close(input) }
    let start = monotonicSeconds()
    let answer = try rig.client.upload("PUT", "/sinks/alice?rate=48000&channels=\(channels)", from: input)
    let seconds = monotonicSeconds() - start
    #expect(answer?.status == 200)
    let counts = try #require(JSONSerialization.jsonObject(with: answer?.body ?? Data()) as? [String: Any])
    #expect(counts["framesWritten"] as? Int == 480_000)
    #expect(counts["framesPlayed"] as? Int == 480_000)
    // A machine so busy that the writer misses a whole ring may cause an underrun; without backpressure there would be one at each refill.
    #expect((counts["underruns"] as? Int ?? .max) < 10)
    #expect(counts["drops"] as? Int == 0)
    #expect(seconds > 9.7, "\(seconds) s")
    #expect(rig.snapshot.sinks.isEmpty && rig.snapshot.session.receiveMedia.isEmpty)
    // Gain 1: what was sent is what sounds, up to resampling.
    let loud = rig.played.reduce(0) { max($0, abs($1)) }
    #expect(loud > 0.2)
  }

  @Test("K1: an uploaded PCM body is played unchanged")
  func heard() throws {
    let rig = try ControlRig(speed: 2)
    defer { rig.stop() }
    // A sweep from 200 Hz to 2200 Hz, of which each part occurs once.
    let samples = (0..<48_000).map { frame in
      let seconds = Double(frame) / 48_000
      return Int16(8_000 * sin(2 * .pi * (200 + 1_000 * seconds) * seconds))
    }
    let client = try put(rig, "alice")
    client.send(Self.chunk(Self.bytes(samples)))
    client.send("0\r\n\r\n")
    #expect(try client.status() == 200)
    let sent = samples.map { Float($0) / 32_768 }
    let played = rig.played
    let lag = try #require(Measures.lag(of: played, after: Array(sent[24_000..<28_096]), most: played.count - 4_096))
    #expect(lag.correlation > 0.9, "\(lag)")
  }

  @Test("K1: media that a program has registered is used, and stays")
  func existingMedia() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    try rig.request("POST", "/media/alice?send=1&receive=1")
    let client = try put(rig, "alice")
    #expect(rig.wait { rig.snapshot.sinks.count == 1 })
    client.send("0\r\n\r\n")
    #expect(try client.status() == 200)
    #expect(rig.snapshot.session.sendMedia == ["alice"])
    #expect(rig.snapshot.sinks.isEmpty)
  }

  @Test(
    "K1: an impossible format is refused before any body is sent",
    arguments: [
      (422, "/sinks/alice?rate=7999", "8000"), (422, "/sinks/alice?rate=192001", "192000"), (422, "/sinks/alice?channels=3", "give 1 or 2"),
      (400, "/sinks/alice?rate=fast", "rate=fast"), (422, "/sinks/alice?buffer=1", "10 to 10000"), (422, "/sinks/a%2Fb", "1 to 64"),
      (400, "/sinks/alice?rat=48000", "there are: buffer, channels, rate"),
    ])
  func impossible(status: Int, target: String, words: String) throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let client = try rig.raw()
    client.send("PUT \(target) HTTP/1.1\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n")
    let text = try client.receive()
    #expect(text.hasPrefix("HTTP/1.1 \(status) "))
    #expect(text.contains(words), "\(text)")
    #expect(rig.snapshot.sinks.isEmpty && rig.snapshot.session.receiveMedia.isEmpty)
  }

  @Test("K1: a name that is taken is 409, and the first plays on")
  func taken() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    let first = try put(rig, "alice")
    #expect(rig.wait { rig.snapshot.sinks.count == 1 })
    let second = try put(rig, "alice")
    #expect(try second.status() == 409)
    #expect(second.text.contains("already registered"))
    first.send(Self.chunk(Self.bytes(Self.pcm(frames: 4_800))))
    first.send("0\r\n\r\n")
    #expect(try first.status() == 200)
  }

  @Test("K1: a body of another type is 415, none is 400")
  func body() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let json = try rig.raw()
    json.send("PUT /sinks/alice HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
    #expect(try json.status() == 415)
    #expect(try rig.refusal(400, "PUT", "/sinks/alice")?.contains("chunked") == true)
  }

  @Test("K2: half a sample at the end is told, and the whole ones before it are played")
  func halfSample() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    let client = try put(rig, "alice")
    for byte in Self.bytes(Self.pcm(frames: 100)) + [1] { client.send(Self.chunk([byte])) }
    client.send("0\r\n\r\n")
    #expect(try client.status() == 422)
    let text = try client.receive { $0.contains("}") }
    #expect(text.contains("in the middle of a frame"))
    #expect(text.contains(#""framesPlayed" : 100"#))
  }

  @Test(
    "K5: a client that dies ends its sink at once, with data waiting or not, with cycles or without", arguments: [0.0, 4], [0, 96_000])
  func dies(speed: Double, frames: Int) throws {
    let rig = try ControlRig(speed: speed)
    defer { rig.stop() }
    let client = try put(rig, "alice")
    if frames > 0 { _ = client.sendSome(Self.chunk(Self.bytes(Self.pcm(frames: frames)))) }
    #expect(rig.wait { rig.snapshot.sinks.count == 1 })
    client.close()
    #expect(rig.wait { rig.snapshot.sinks.isEmpty && rig.snapshot.session.receiveMedia.isEmpty })
  }

  @Test("K1: a sink that somebody deletes while it plays: its client is told 409")
  func deleted() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    let client = try put(rig, "alice")
    client.send(Self.chunk(Self.bytes(Self.pcm(frames: 480))))
    #expect(rig.wait { rig.snapshot.sinks.count == 1 })
    #expect(try rig.request("DELETE", "/sinks/alice").status == 200)
    client.send(Self.chunk(Self.bytes(Self.pcm(frames: 480))))
    #expect(try client.status() == 409)
    #expect(client.text.contains("Connection: close"))
  }

  @Test(
    "K1: a sink that somebody deletes while it waits, for its end or for room, in cycles that never come: its client is told 409",
    arguments: [10, 48_000])
  func deletedWaiting(frames: Int) throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let client = try put(rig, "alice")
    client.send(Self.chunk(Self.bytes(Self.pcm(frames: frames))))
    client.send("0\r\n\r\n")
    #expect(rig.wait { rig.snapshot.sinks.first?.framesWritten ?? 0 >= min(frames, 9_600) })
    #expect(try rig.request("DELETE", "/sinks/alice").status == 200)
    #expect(try client.status() == 409)
    #expect(rig.snapshot.sinks.isEmpty && rig.snapshot.session.receiveMedia.isEmpty)
  }

  @Test("K1 S2: a body that has ended, in a session that nobody activates: its client is told 503, and how much was played")
  func neverActivated() throws {
    var limits = ControlLimits()
    limits.stallSeconds = 0.3
    let rig = try ControlRig(speed: 0, isManual: true, limits: limits)
    defer { rig.stop() }
    let client = try put(rig, "alice")
    client.send(Self.chunk(Self.bytes(Self.pcm(frames: 10))))
    client.send("0\r\n\r\n")
    #expect(try client.status() == 503)
    let text = try client.receive { $0.contains("}") }
    #expect(text.contains("POST /activate"))
    #expect(text.contains(#""framesPlayed" : 0"#) && text.contains(#""framesWritten" : 10"#))
    #expect(rig.snapshot.sinks.isEmpty && rig.snapshot.session.receiveMedia.isEmpty)
  }

  @Test("S2: deactivation throws away what is buffered, and the upload goes on afterwards")
  func deactivation() throws {
    let rig = try ControlRig(isManual: true)
    defer { rig.stop() }
    try rig.request("POST", "/activate")
    let client = try put(rig, "alice")
    client.send(Self.chunk(Self.bytes(Self.pcm(frames: 4_800))))
    #expect(rig.wait { rig.snapshot.sinks.first?.framesWritten == 4_800 })
    try rig.request("POST", "/deactivate")
    try rig.request("POST", "/activate")
    client.send(Self.chunk(Self.bytes(Self.pcm(frames: 480))))
    client.send("0\r\n\r\n")
    #expect(try client.status() == 200)
  }

  @Test("O1: stopping nearend ends every client at once")
  func stops() throws {
    let rig = try ControlRig()
    let clients = [try put(rig, "alice"), try rig.raw(), try rig.raw(), try rig.raw()]
    clients[1].send("GET /events HTTP/1.1\r\n\r\n")
    clients[2].send("GET /source HTTP/1.1\r\n\r\n")
    #expect(try clients[1].status() == 200)
    #expect(try clients[2].status() == 200)
    let start = monotonicSeconds()
    rig.stop()
    for client in clients { _ = try client.receive(timeout: 3) }
    #expect(monotonicSeconds() - start < 3)
  }
}
