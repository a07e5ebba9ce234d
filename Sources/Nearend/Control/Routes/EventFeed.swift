import Foundation
import Glibc
import SessionModel
import Synchronization

/// `GET /events`: one event per line, from now on, until the client goes.
///
/// Events wait here for a slow reader, the newest `capacity` of them; the first that comes after a loss says in `eventsLost` how many are missing.
final class EventFeed: Sendable {
  private struct State {
    var waiting: [AudioEvent] = []
    var lost = 0
  }
  static let capacity = 1_024

  private let state = Mutex(State())
  /// Readable while something waits.
  private let wake: (read: Int32, write: Int32)

  init() throws(RequestFailure) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
      throw RequestFailure(503, "the events cannot be followed: \(lastError()); end other clients first")
    }
    wake = (ends[0], ends[1])
  }

  deinit {
    close(wake.read)
    close(wake.write)
  }

  /// [any]
  func add(_ event: AudioEvent) {
    state.withLock { state in
      if state.waiting.count == Self.capacity {
        state.waiting.removeFirst()
        state.lost += 1
      }
      state.waiting.append(event)
      // Inside: whoever takes the events takes the byte with them.
      if state.waiting.count == 1 { _ = send(wake.write, [1], 1, Int32(MSG_NOSIGNAL)) }
    }
  }

  /// What has come since the last call, oldest first.
  func take() -> [AudioEvent] {
    state.withLock { state in
      var byte: UInt8 = 0
      if !state.waiting.isEmpty { _ = recv(wake.read, &byte, 1, 0) }
      if state.lost > 0, !state.waiting.isEmpty { state.waiting[0].detail["eventsLost"] = .integer(state.lost) }
      defer { state = State() }
      return state.waiting
    }
  }

  static func answer(_ request: ControlRequest) throws {
    let feed = try EventFeed()
    // Before the answer begins: whoever has it hears of everything that happens then.
    let subscription = request.service.events.subscribe { feed.add($0) }
    defer { subscription.cancel() }
    let exchange = request.exchange
    try exchange.beginStream(type: "application/x-ndjson")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    while true {
      var lines: [UInt8] = []
      for event in feed.take() { lines += Array(try encoder.encode(event)) + [10] }
      try exchange.send(chunk: lines)
      try exchange.connection.pause(seconds: 60, waking: feed.wake.read)
    }
  }
}
