import Foundation
import Synchronization
import Testing

/// A local server that answers each POST as configured, or not at all.
final class LoopbackServer: Sendable {
  enum Answer: Sendable {
    case status(Int), never
    /// A status that redirects to another address.
    case elsewhere(Int, String)
    case each(@Sendable (Request) -> Int)
    /// 200 with a document.
    case document(String)
  }

  struct Request: Sendable {
    var headers: String
    var body: Data
    var lines: [Substring] { String(decoding: body, as: UTF8.self).split(separator: "\n") }
  }

  private struct State {
    var answer: Answer
    var requests: [Request] = []
    var open: [Int32] = []
    var isStopping = false
  }
  private let state: Mutex<State>
  private let listener: Int32
  let port: UInt16

  var base: String { "http://127.0.0.1:\(port)" }
  var url: String { "\(base)/asm" }
  var requests: [Request] { state.withLock { $0.requests } }
  func answer(_ answer: Answer) { state.withLock { $0.answer = answer } }

  /// - Parameter port: 0 for any free port.
  init(_ answer: Answer, port: UInt16 = 0) throws {
    state = Mutex(State(answer: answer))
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var (yes, length) = (Int32(1), socklen_t(MemoryLayout<sockaddr_in>.size))
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, address, &length) == 0
      }
    }
    self.port = UInt16(bigEndian: address.sin_port)
    try #require(result, "no port on 127.0.0.1: \(String(cString: strerror(errno)))")
    Thread { [weak self] in
      // Closed by the accepting thread: a closed descriptor's number soon belongs to another server.
      defer { close(listener) }
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0, let self else { return }
        let isStopping = state.withLock { state in
          if !state.isStopping { state.open.append(connection) }
          return state.isStopping
        }
        if isStopping {
          close(connection)
          return
        }
        Thread { [weak self] in self?.serve(connection) }.start()
      }
    }.start()
  }

  deinit { stop() }

  func stop() {
    let open = state.withLock { state in
      defer { state = State(answer: .never, requests: state.requests, isStopping: true) }
      if !state.isStopping { shutdown(listener, Int32(SHUT_RDWR)) }
      return state.open
    }
    for descriptor in open {
      shutdown(descriptor, Int32(SHUT_RDWR))
      close(descriptor)
    }
  }

  private func serve(_ connection: Int32) {
    var received = Data()
    while true {
      guard let end = received.range(of: Data("\r\n\r\n".utf8)) else {
        guard read(connection, into: &received) else { return }
        continue
      }
      let headers = String(decoding: received[..<end.lowerBound], as: UTF8.self)
      let length = headers.lowercased().firstMatch(of: /content-length: *(\d+)/).flatMap { Int($0.1) } ?? 0
      if received.count < end.upperBound + length {
        guard read(connection, into: &received) else { return }
        continue
      }
      let request = Request(headers: headers, body: received[end.upperBound...].prefix(length))
      let answer = state.withLock { state in
        state.requests.append(request)
        return state.answer
      }
      let status: Int
      var (location, document) = ("", "")
      switch answer {
      case .status(let fixed): status = fixed
      case .each(let decide): status = decide(request)
      case .elsewhere(let fixed, let address): (status, location) = (fixed, "Location: \(address)\r\n")
      case .document(let text): (status, document) = (200, text)
      case .never: return
      }
      let text = "HTTP/1.1 \(status) X\r\n\(location)Content-Length: \(document.utf8.count)\r\nConnection: close\r\n\r\n\(document)"
      _ = text.utf8CString.withUnsafeBufferPointer { send(connection, $0.baseAddress, $0.count - 1, Int32(MSG_NOSIGNAL)) }
      shutdown(connection, Int32(SHUT_WR))
      return
    }
  }

  private func read(_ connection: Int32, into data: inout Data) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(connection, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    data += buffer.prefix(count)
    return true
  }
}
