import Foundation
import SessionModel
import Testing

@testable import Nearend

@Suite("Source over the socket", .serialized)
struct SourceEndpointTests {
  @Test("L5: a second source is 409, and the answer names the first; it is free again when the first goes")
  func taken() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let first = try rig.raw()
    first.send("GET /source?id=recorder&rate=16000 HTTP/1.1\r\n\r\n")
    #expect(try first.status() == 200)
    #expect(rig.snapshot.source?.mediaId == "recorder")
    #expect(rig.snapshot.session.sendMedia == ["recorder"])
    #expect(try rig.refusal(409, "GET", "/source?id=other")?.contains("'recorder'") == true)
    #expect(try rig.refusal(409, "GET", "/source?id=recorder")?.contains("'recorder'") == true)
    #expect(rig.snapshot.session.sendMedia == ["recorder"], "the refused ones left nothing")
    first.close()
    #expect(rig.wait { rig.snapshot.source == nil && rig.snapshot.session.sendMedia.isEmpty })
    let next = try rig.raw()
    next.send("GET /source HTTP/1.1\r\n\r\n")
    #expect(try next.status() == 200)
  }

  @Test(
    "L5: an impossible format is refused, and nothing stays registered",
    arguments: ["/source?rate=1", "/source?channels=3", "/source?id=a%20b"])
  func impossible(target: String) throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    #expect(try rig.refusal(422, "GET", target) != nil)
    #expect(rig.snapshot.session.sendMedia.isEmpty)
  }

  @Test("L8: many clients that want the same source at once: one has it, and it stays")
  func race() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    for _ in 0..<20 {
      let clients = try (0..<8).map { _ in try rig.raw() }
      for client in clients { client.send("GET /source HTTP/1.1\r\n\r\n") }
      let statuses = try clients.map { try $0.status() }
      #expect(statuses.count { $0 == 200 } == 1)
      #expect(statuses.count { $0 == 409 } == 7)
      #expect(rig.snapshot.source?.mediaId == "source")
      for client in clients { client.close() }
      #expect(rig.wait { rig.snapshot.session.sendMedia.isEmpty })
    }
  }
}
