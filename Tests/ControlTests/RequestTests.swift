import Testing

@testable import Nearend

@Suite("Requests")
struct RequestTests {
  private func head(_ text: String) -> Result<RequestHead, RequestFailure> {
    do throws(RequestFailure) { return .success(try RequestHead(Array(text.utf8))) } catch { return .failure(error) }
  }

  @Test("O1: a request's line, query and headers")
  func parses() throws {
    let head = try head(
      "PUT /sinks/a%20b?rate=48000&channels=2 HTTP/1.1\r\nHost: x\r\nTRANSFER-encoding: chunked\r\nExpect: 100-continue"
    ).get()
    #expect(head.method == "PUT")
    #expect(head.path == ["sinks", "a b"])
    #expect(head.query == ["rate": "48000", "channels": "2"])
    #expect(head.body == .chunked)
    #expect(head.keepsAlive && head.expectsContinue)
    #expect(try self.head("GET / HTTP/1.1\nConnection: close").get().keepsAlive == false)
    #expect(try self.head("GET / HTTP/1.0").get().keepsAlive == false)
    #expect(try self.head("POST / HTTP/1.1\r\nContent-Length: 7").get().body == .length(7))
  }

  @Test(
    "O1: an invalid request is refused with what would be valid",
    arguments: [
      (400, "hello"), (400, "GET /"), (400, "GET  / HTTP/1.1"), (400, "G\u{0}T / HTTP/1.1"), (505, "PRI * HTTP/2.0"),
      (400, "GET x HTTP/1.1"),
      (400, "GET /%zz HTTP/1.1"), (400, "GET /?a=1&a=2 HTTP/1.1"), (400, "GET / HTTP/1.1\r\nno colon"), (400, "GET / HTTP/1.1\r\n: x"),
      (400, "GET / HTTP/1.1\r\nContent-Length: -1"), (400, "GET / HTTP/1.1\r\nContent-Length: 99999999999999999999"),
      (400, "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2"), (400, "GET / HTTP/1.1\r\nHost: a\r\nhost: b"),
      (400, "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked"), (501, "GET / HTTP/1.1\r\nTransfer-Encoding: gzip"),
      (431, "GET / HTTP/1.1" + String(repeating: "\r\na: b", count: 101)),
    ])
  func refuses(status: Int, text: String) {
    guard case .failure(let failure) = head(text) else {
      Issue.record("taken: \(text)")
      return
    }
    #expect(failure.status == status)
    #expect(!failure.reason.isEmpty)
  }
}
