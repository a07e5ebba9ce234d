import Foundation
import SessionModel

extension ControlEndpoints {
  /// Requests of a person who wants to hear themselves.
  static let auditions = [
    ControlEndpoint("GET", "/listen", query: ["seconds"]) { try $0.listen() },
    ControlEndpoint("GET", "/listen/picture") { request in
      guard let report = request.service.audition else {
        throw RequestFailure(404, "nobody has listened to themselves yet; GET /listen does")
      }
      try request.exchange.answer(json: report)
    },
  ]
}

extension ControlRequest {
  /// Streams an audition's status, ten times a second, until it is over; the last line has its picture. A client that leaves ends it.
  fileprivate func listen() throws {
    let seconds = try number("seconds") ?? AuditionStatus.standardLength
    let number: Int
    do throws(AuditionRefusal) { number = try service.auditions.begin(seconds: seconds) } catch {
      if case .impossibleLength = error { throw RequestFailure(400, "seconds=\(error.description)") }
      throw RequestFailure(409, error.description)
    }
    defer { service.auditions.cancel(number, reason: "who asked for it has gone") }
    try exchange.beginStream(type: "application/x-ndjson")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    while let report = service.audition, report.status.number == number {
      let isOver = !report.status.isActive
      let line = AuditionReport(status: report.status, picture: isOver ? report.picture : CallHistory())
      try exchange.send(chunk: Array(try encoder.encode(line)) + [10])
      if isOver { return try exchange.endStream() }
      try exchange.connection.pause(seconds: 0.1)
    }
    try exchange.endStream()
  }
}
