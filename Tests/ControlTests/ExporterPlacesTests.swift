import Foundation
import SimulatedHardware
import Synchronization
import TestSupport
import Testing

@testable import Nearend

/// The places of the metrics' exporter, and who takes them.
@Suite("Exporter's places", .serialized)
struct ExporterPlacesTests {
  /// A TCP connection to the exporter with a request under way, whose small buffer is not read.
  private static func ask(_ port: UInt16) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var bytes: Int32 = 4_096
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, 4)
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
    let request = Array("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
    return result == 0 && send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count ? descriptor : -1
  }

  /// The first line of the answer.
  private static func answer(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\r\n").first.map(String.init) ?? ""
  }

  @Test("X4, O9: clients that ask and do not read keep no scraper out")
  func unread() throws {
    // More than a kernel buffers for an unread connection.
    let long = "# \(String(repeating: "x", count: 8 << 20))\n"
    let asked = Mutex(0)
    let exporter = try MetricsExporter(at: try ListenAddress("127.0.0.1:0")) {
      asked.withLock { count in
        count += 1
        return count <= 16 ? long : "nearend_up 1\n"
      }
    }
    exporter.start()
    defer { exporter.stop() }
    let silent = (0..<16).map { _ in Self.ask(exporter.address.port) }
    defer { for descriptor in silent { close(descriptor) } }
    #expect(silent.allSatisfy { $0 >= 0 } && eventually { asked.withLock { $0 } == 16 })
    let begin = monotonicSeconds()
    #expect(
      eventually {
        let scraper = Self.ask(exporter.address.port)
        defer { close(scraper) }
        return Self.answer(scraper) == "HTTP/1.1 200 OK"
      })
    #expect(monotonicSeconds() - begin < 5, "before the silent ones are given up")
  }
}
