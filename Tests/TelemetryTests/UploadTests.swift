import Foundation
import SessionModel
import SimulatedHardware
import Synchronization
import TestSupport
import Testing

@testable import Nearend

@Suite("Telemetry to a server")
struct UploadTests {
  private static func line(_ number: Int) -> Data { Data(#"{"number":\#(number)}"#.utf8) }

  private static func outlet(
    _ server: LoopbackServer, timeout: Double = 5, capacity: Int = 1_000, backOff: ClosedRange<Double> = 0.01...0.05
  ) throws -> TelemetryOutlet {
    let upload = TelemetryUpload.http(try #require(URL(string: server.url)), timeout: timeout)
    return TelemetryOutlet(name: "http", limits: .init(capacity: capacity, batch: 4, backOff: backOff)) { try upload.post($0) }
  }

  /// Every record that the server accepted, in order.
  private static func numbers(_ requests: [LoopbackServer.Request]) -> [Int] {
    requests.flatMap { $0.lines.compactMap { line in line.firstMatch(of: /\d+/).flatMap { Int($0.0) } } }
  }

  @Test("T3: records are posted as lines of JSON, in their order, each once")
  func posts() throws {
    let server = try LoopbackServer(.status(204))
    let outlet = try Self.outlet(server)
    for number in 0..<20 { outlet.add(Self.line(number)) }
    #expect(eventually { outlet.status.delivered == 20 }, "waited for 20 records")
    #expect(Self.numbers(server.requests) == Array(0..<20))
    let headers = try #require(server.requests.first?.headers)
    #expect(headers.hasPrefix("POST /asm HTTP/1.1\r\n"))
    #expect(headers.contains("Content-Type: application/x-ndjson"))
    outlet.stop(timeout: 5)
    #expect(outlet.status == TelemetryOutletStatus(name: "http", delivered: 20))
  }

  @Test("T3: a server that answers 500 gets all of it again when it is well", arguments: [500, 503, 429, 404])
  func broken(status: Int) throws {
    let server = try LoopbackServer(.status(status))
    let outlet = try Self.outlet(server)
    outlet.add(Self.line(0))
    #expect(eventually { server.requests.count >= 2 }, "waited for two attempts")
    #expect(outlet.status.failure == "HTTP status \(status)")
    for number in 1..<6 { outlet.add(Self.line(number)) }
    server.answer(.status(200))
    #expect(eventually { outlet.status.delivered == 6 }, "waited for 6 records")
    #expect(outlet.status == TelemetryOutletStatus(name: "http", delivered: 6))
  }

  @Test("T3: passwords and keys in an address are told nowhere")
  func secrets() throws {
    let server = try LoopbackServer(.status(200))
    let url = "http://user:secret@127.0.0.1:\(server.port)/asm?key=hidden"
    server.stop()
    let said = Mutex<[String]>([])
    let upload = TelemetryUpload.http(try #require(URL(string: url)), timeout: 2)
    let outlet = TelemetryOutlet(
      name: "http", limits: .init(backOff: 0.01...0.02), complain: { text in said.withLock { $0.append(text) } }
    ) { try upload.post($0) }
    outlet.add(Self.line(0))
    #expect(eventually { outlet.status.failure != nil }, "waited for a failure")
    #expect(eventually { !said.withLock(\.isEmpty) }, "waited for a remark")
    for text in said.withLock({ $0 }) + [outlet.status.failure ?? ""] {
      #expect(text.contains("http://127.0.0.1:\(server.port)/asm"), "\(text)")
      #expect(!text.contains("secret") && !text.contains("hidden") && !text.contains("user"), "\(text)")
    }
    outlet.stop(timeout: 0)
  }

  @Test("T3: an answer of endless length is not kept, and is no delivery")
  func endless() throws {
    let server = try LoopbackServer(.document(String(repeating: "x", count: 4 << 20)))
    let outlet = try Self.outlet(server)
    outlet.add(Self.line(0))
    #expect(eventually { outlet.status.failure != nil }, "waited for a failure")
    #expect(outlet.status.failure?.contains("its answer is longer than 1048576 bytes") == true, "\(outlet.status.failure ?? "")")
    #expect(outlet.status.delivered == 0)
    outlet.stop(timeout: 0)
  }

  @Test("T3: a header of endless length is called that, and no want of memory")
  func endlessHeader() throws {
    let server = try LoopbackServer(.elsewhere(200, "/" + String(repeating: "x", count: 1 << 20)))
    let outlet = try Self.outlet(server)
    outlet.add(Self.line(0))
    #expect(eventually { outlet.status.failure != nil }, "waited for a failure")
    #expect(outlet.status.failure?.contains("the header of its answer is too long") == true, "\(outlet.status.failure ?? "")")
    outlet.stop(timeout: 0)
  }

  @Test(
    "T3: redirects are not followed, and what the server did not accept is not delivered", arguments: [301, 302, 303, 307, 308])
  func redirected(status: Int) throws {
    let elsewhere = try LoopbackServer(.status(200))
    let server = try LoopbackServer(.elsewhere(status, elsewhere.url))
    let outlet = try Self.outlet(server)
    outlet.add(Self.line(0))
    #expect(eventually { server.requests.count >= 2 }, "waited for two attempts")
    #expect(outlet.status.delivered == 0)
    #expect(outlet.status.failure == "HTTP status \(status): the server sends records elsewhere; give that address")
    #expect(elsewhere.requests.isEmpty)
    server.answer(.status(200))
    #expect(eventually { outlet.status.delivered == 1 }, "waited for the record")
  }

  @Test("T3: a server that refuses a record for good loses that one only", arguments: [400, 413])
  func refused(status: Int) throws {
    let server = try LoopbackServer(.status(status))
    let outlet = try Self.outlet(server)
    outlet.add(Self.line(0))
    #expect(eventually { outlet.status.dropped == 1 }, "waited for the refusal")
    server.answer(.status(200))
    outlet.add(Self.line(1))
    #expect(eventually { outlet.status.delivered == 1 }, "waited for the next record")
    #expect(Self.numbers(server.requests) == [0, 1])
  }

  @Test("T3: records that a server refuses together are tried one by one, and only those refused again are lost")
  func refusedTogether() throws {
    let server = try LoopbackServer(.each { $0.lines.count > 1 || Self.numbers([$0]) == [2] ? 413 : 200 })
    let outlet = try Self.outlet(server)
    for number in 0..<6 { outlet.add(Self.line(number)) }
    #expect(eventually { outlet.status.delivered + outlet.status.dropped == 6 }, "waited for all to be settled")
    #expect(outlet.status.dropped == 1)
    #expect(Self.numbers(server.requests.filter { $0.lines.count == 1 }) == Array(0..<6))
  }

  @Test("T3: a dead server loses only what is oldest, and what is left arrives when it is back")
  func dead() throws {
    let dead = try LoopbackServer(.never)
    let port = dead.port
    dead.stop()
    let outlet = try Self.outlet(dead, capacity: 10)
    outlet.add(Self.line(0))
    #expect(eventually { outlet.status.failure != nil }, "waited for a failure")
    for number in 1..<25 { outlet.add(Self.line(number)) }
    #expect(eventually { outlet.status.queued <= 10 + 4 }, "waited for the queue to be trimmed")
    let back = try LoopbackServer(.status(200), port: port)
    #expect(eventually { outlet.status.queued == 0 }, "waited for everything to be gone")
    let numbers = Self.numbers(back.requests)
    #expect(numbers == Array(15..<25), "\(numbers)")
    #expect(outlet.status.dropped == 15)
  }

  @Test("T3: neither adding a record nor stopping waits for a server that never answers")
  func silent() throws {
    let server = try LoopbackServer(.never)
    let outlet = try Self.outlet(server, timeout: 30, capacity: 100)
    outlet.add(Self.line(0))
    #expect(eventually { server.requests.count == 1 }, "waited for the request")
    let begin = monotonicSeconds()
    for number in 1..<1_000 { outlet.add(Self.line(number)) }
    let added = monotonicSeconds() - begin
    outlet.stop(timeout: 0.1)
    print("T3: 999 records in \(added) s while a server does not answer; stopped after \(monotonicSeconds() - begin) s")
    #expect(monotonicSeconds() - begin < 5, "the request itself would take 30 s")
    #expect(outlet.status.queued == 101)
    #expect(outlet.status.dropped == 899)
  }

  @Test("T3: a server that does not answer in time has failed, and is asked again")
  func slow() throws {
    let server = try LoopbackServer(.never)
    let outlet = try Self.outlet(server, timeout: 0.2)
    outlet.add(Self.line(0))
    #expect(eventually { server.requests.count >= 2 }, "waited for the second request")
    server.answer(.status(200))
    #expect(eventually { outlet.status.delivered == 1 }, "waited for the record")
  }

  @Test("T3: pending records are sent on stopping")
  func lastChance() throws {
    let server = try LoopbackServer(.status(200))
    let outlet = try Self.outlet(server)
    for number in 0..<10 { outlet.add(Self.line(number)) }
    outlet.stop(timeout: 10)
    #expect(Self.numbers(server.requests) == Array(0..<10))
  }
}
