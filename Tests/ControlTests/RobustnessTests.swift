import Foundation
import SessionModel
import TestSupport
import Testing

@testable import Nearend

/// Malicious or broken clients: they lose their own sink, and affect no other client.
@Suite("Robustness", .serialized)
struct RobustnessTests {
  /// Runs `body` while another client plays in real time; expects neither underruns nor drops there.
  private func whilePlaying(_ rig: ControlRig, _ body: () throws -> Void) throws {
    let player = try rig.raw()
    player.send("PUT /sinks/bystander HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    let silence = [UInt8](repeating: 0, count: 9_600)
    let chunk = Array("2580\r\n".utf8) + silence + [13, 10]
    let isDone = DispatchSemaphore(value: 0)
    let hasEnded = DispatchSemaphore(value: 0)
    nonisolated(unsafe) let client = player
    Thread.detachNewThread {
      while isDone.wait(timeout: .now()) == .timedOut { client.send(chunk) }
      client.send("0\r\n\r\n")
      hasEnded.signal()
    }
    #expect(rig.wait { rig.snapshot.sinks.first?.state == .playing })
    defer {
      isDone.signal()
      hasEnded.wait()
    }
    try body()
    let sink = try #require(rig.snapshot.sinks.first { $0.id == "bystander" })
    #expect(sink.totalUnderruns == 0)
    #expect(sink.totalDrops == 0)
    #expect(sink.state == .playing)
  }

  @Test("X4, D1: clients for which the system has no thread are told so, mute is let in, and one that says nothing keeps nobody out")
  func noThread() throws {
    var limits = ControlLimits()
    // More than there is address space: pthread_create fails as it does at the limit of a user's threads, which root does not have.
    limits.stackBytes = 1 << 50
    let rig = try ControlRig(limits: limits)
    defer { rig.stop() }
    let silent = try rig.raw()
    for isMuted in [true, false] {
      // As a whole: a client that is refused before it has spoken sees a connection that is reset.
      let answer = try rig.request("GET", "/status")
      #expect(answer.status == 503)
      #expect(answer.reason.contains("no thread for another client"))
      #expect(try rig.request("POST", isMuted ? "/mute" : "/unmute").status == 200)
      #expect(rig.snapshot.session.isMicrophoneMuted == isMuted)
    }
    #expect(rig.snapshot.session.interruption == nil)
    withExtendedLifetime(silent) {}
  }

  @Test("O1 L8: garbage, broken framing and half requests get an answer that says so, and others play on")
  func garbage() throws {
    let rig = try ControlRig(speed: 1)
    defer { rig.stop() }
    try whilePlaying(rig) {
      let put = "PUT /sinks/eve HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
      for (status, text) in [
        (400, "\u{16}\u{3}\u{1}garbage\r\n\r\n"), (400, "\r\n\r\nGET\r\n\r\n"), (400, "\(put)xyz\r\n"), (400, "\(put)2\r\nabcdef\r\n"),
        (400, "\(put)ffffffffffffffff\r\n"), (400, "\(put)-1\r\n"), (400, put + String(repeating: "0", count: 5_000)),
        (431, "\(put)0\r\n" + String(repeating: "a: b\r\n", count: 2_000)), (505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      ] {
        let client = try rig.raw()
        client.send(text)
        #expect(try client.status() == status, "\(text.prefix(80))")
        #expect(try client.receive().contains("\"error\""), "\(text.prefix(80))")
      }
      let half = try rig.raw()
      half.send("GET /status HT")
      half.finishSending()
      #expect(try half.status() == 400)
      #expect(rig.wait { rig.snapshot.sinks.map(\.id) == ["bystander"] })
    }
  }

  @Test("O1: an endless header is 431 after 16 KiB, and one that comes too slowly 408")
  func endlessHeader() throws {
    let rig = try ControlRig(speed: 1)
    defer { rig.stop() }
    try whilePlaying(rig) {
      let endless = try rig.raw()
      let line = [UInt8](repeating: 65, count: 65_536)
      endless.send("GET / HTTP/1.1\r\nX: ")
      var sent = 0
      while sent < 64 << 20, endless.send(line) { sent += line.count }
      #expect(sent < 4 << 20, "\(sent) bytes were taken")
      #expect(try endless.status() == 431)
      let slow = try rig.raw()
      slow.send("GET /status HTTP/1.1\r\nX: ")
      #expect(try slow.status() == 408)
    }
  }

  @Test("O1: a gigabyte is not read: 413, whether its length is told or not; half a document is 408")
  func gigabyte() throws {
    let rig = try ControlRig(speed: 1)
    defer { rig.stop() }
    try whilePlaying(rig) {
      let told = try rig.raw()
      told.send("PATCH /settings HTTP/1.1\r\nContent-Length: 1073741824\r\n\r\n")
      #expect(try told.status() == 413)
      let untold = try rig.raw()
      untold.send("PATCH /settings HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 32, count: 65_536) + [13, 10]
      var sent = 0
      while sent < 1 << 30, untold.send(chunk) { sent += chunk.count }
      #expect(sent < 4 << 20, "\(sent) bytes were taken")
      #expect(try untold.status() == 413)
      let wrong = try rig.raw()
      wrong.send("POST /nosuch HTTP/1.1\r\nContent-Length: 1073741824\r\n\r\n")
      #expect(try wrong.status() == 404)
      let half = try rig.raw()
      half.send("PATCH /settings HTTP/1.1\r\nContent-Length: 20\r\n\r\n{")
      #expect(try half.status() == 408)
      let cut = try rig.raw()
      cut.send("PATCH /settings HTTP/1.1\r\nContent-Length: 20\r\n\r\n{")
      cut.close()
    }
  }

  @Test("O1: a thousand idle connections keep nobody out, and cost no descriptor when they are gone")
  func thousand() throws {
    let rig = try ControlRig(speed: 1)
    defer { rig.stop() }
    let before = descriptorCount()
    try whilePlaying(rig) {
      var idle: [RawClient] = []
      var most = 0
      for _ in 0..<1_000 {
        // The test's own descriptors are not under test.
        if idle.count == 300 { idle.removeFirst(100) }
        idle.append(try rig.raw())
        most = max(most, descriptorCount())
      }
      #expect(most <= before + 300 + ControlLimits().connections + 32, "\(most) descriptors at a time, \(before) before")
      #expect(try rig.request("GET", "/status").status == 200)
      idle = []
    }
    #expect(rig.wait { descriptorCount() <= before }, "\(descriptorCount()) descriptors, \(before) before")
  }

  /// Returns clients that listen to events, as many as there are places.
  private func listeners(_ rig: ControlRig) throws -> [RawClient] {
    try (0..<ControlLimits().connections).map { _ in
      let client = try rig.raw()
      client.send("GET /events HTTP/1.1\r\n\r\n")
      #expect(try client.status() == 200)
      return client
    }
  }

  @Test("O1: clients beyond the limit are told to come back later")
  func limit() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let busy = try listeners(rig)
    let late = try rig.raw()
    late.send("GET /status HTTP/1.1\r\n\r\n")
    #expect(try late.status() == 503)
    busy[0].close()
    #expect(rig.wait { (try? rig.request("GET", "/status").status) == 200 })
  }

  @Test("X4: mute is let in where all places are taken, by clients that listen and by others that say nothing")
  func muteIsLetIn() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    var busy = try listeners(rig)
    for _ in 0..<40 { busy.append(try rig.raw()) }
    let listener = try rig.raw()
    listener.send("GET /events HTTP/1.1\r\n\r\n")
    #expect(try listener.status() == 503)
    #expect(listener.text.contains("256 clients are connected"))
    #expect(try rig.request("POST", "/mute").status == 200)
    #expect(rig.service.session.current.settings.isMicrophoneMuted)
    #expect(try rig.request("PATCH", "/settings", #"{"microphoneMuted": false}"#).status == 200)
    #expect(!rig.service.session.current.settings.isMicrophoneMuted)
    let patient = try rig.raw()
    patient.send("POST /mute HTTP/1.1\r\n\r\n")
    #expect(try patient.receive().contains("Connection: close"), "a place of the reserve is for one request")
  }

  @Test("X4: devices and media have a limit, which is told")
  func limitsOfTheSession() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    for number in 0..<Participants.mostDevices { try rig.service.addGraphSink(id: "device\(number)") }
    #expect(try rig.refusal(409, "POST", "/sinks/another?device=1")?.contains("which is the limit") == true)
    #expect(try rig.request("DELETE", "/sinks/device7").isSuccess)
    #expect(try rig.request("POST", "/sinks/another?device=1").status == 201)
    for number in 0..<ClientMedia.most { #expect(try rig.request("POST", "/media/media\(number)?send=1").isSuccess) }
    #expect(try rig.refusal(409, "POST", "/media/another?send=1")?.contains("which is the limit") == true)
    #expect(try rig.request("POST", "/media/media7?send=1").isSuccess, "it is registered already")
    #expect(try rig.request("DELETE", "/media/media7").isSuccess)
    #expect(try rig.request("POST", "/media/another?send=1").isSuccess)
  }

  @Test("O1: requests follow one another on a connection, also sent at once")
  func pipeline() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let client = try rig.raw()
    client.send(
      "POST /mute HTTP/1.1\r\n\r\nPATCH /settings HTTP/1.1\r\nContent-Length: 13\r\n\r\n{\"ns\": false}GET /nosuch HTTP/1.1\r\n\r\n"
        + "GET /settings HTTP/1.1\r\nConnection: close\r\n\r\n")
    let text = try client.receive()
    let statuses = text.matches(of: /HTTP\/1.1 (\d+)/).map { String($0.1) }
    #expect(statuses == ["200", "200", "404", "200"])
    #expect(text.contains(#""noiseSuppression" : false"#))
  }

  @Test("L8: sinks of the same name from many clients at once: one has it at a time, and none is left")
  func race() throws {
    let rig = try ControlRig(speed: 4)
    defer { rig.stop() }
    for _ in 0..<20 {
      let clients = try (0..<8).map { _ in try rig.raw() }
      for client in clients { client.send("PUT /sinks/alice HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n") }
      let statuses = try clients.map { try $0.status() }
      #expect(statuses.allSatisfy { $0 == 200 || $0 == 409 })
      #expect(statuses.contains(200))
    }
    #expect(rig.wait { rig.snapshot.sinks.isEmpty && rig.snapshot.session.receiveMedia.isEmpty })
  }
}
