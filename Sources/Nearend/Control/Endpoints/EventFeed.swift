import Foundation
import Platform
import SessionModel
import Synchronization

/// `GET /events`: streams one event per line, from now on, until the client disconnects.
///
/// The newest `capacity` events are kept for a slow reader; the first one after a loss says in `eventsLost` how many are missing.
final class EventFeed: Sendable {
  private struct State {
    var waiting: [AudioEvent] = []
    var lost = 0
  }
  static let capacity = 1_024

  private let state = Mutex(State())
  private let wake: WakeSignal

  init() throws(RequestFailure) { wake = try .forClient() }

  /// Appends an event. [any]
  func add(_ event: AudioEvent) {
    let isFirst = state.withLock { state in
      if state.waiting.count == Self.capacity {
        state.waiting.removeFirst()
        state.lost += 1
      }
      state.waiting.append(event)
      return state.waiting.count == 1
    }
    if isFirst { wake.raise() }
  }

  /// Returns the events since the last call, oldest first.
  func drain() -> [AudioEvent] {
    // Before draining: later events raise it again.
    wake.lower()
    return state.withLock { state in
      if state.lost > 0, !state.waiting.isEmpty { state.waiting[0].detail["eventsLost"] = .integer(state.lost) }
      defer { state = State() }
      return state.waiting
    }
  }

  static func answer(_ request: ControlRequest) throws {
    let feed = try EventFeed()
    // Before the answer begins: a client that sees it receives every later event.
    let subscription = request.service.events.subscribe { if case .event(let event) = $0 { feed.add(event) } }
    defer { subscription.cancel() }
    let exchange = request.exchange
    try exchange.beginStream(type: "application/x-ndjson")
    try feed.stream(to: exchange.connection) { try exchange.send(chunk: $0) }
  }

  /// Sends events as they come, one per line, until the client disconnects.
  func stream(to connection: ControlConnection, _ send: ([UInt8]) throws -> Void) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    while true {
      var lines: [UInt8] = []
      for event in drain() { lines += Array(try encoder.encode(event)) + [10] }
      try send(lines)
      try connection.pause(seconds: 60, waking: wake.descriptor)
    }
  }
}
