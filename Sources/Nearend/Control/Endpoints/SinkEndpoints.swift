import RealtimeCore
import SessionModel

extension ControlEndpoints {
  /// Requests for participants: PCM from a client (K1, K2), and devices (K9).
  static let sinks = [
    ControlEndpoint("GET", "/sinks") { try $0.exchange.answer(json: $0.service.snapshot().sinks) },
    ControlEndpoint("PUT", "/sinks/:id", query: ["rate", "channels", "buffer"]) { try PCMUpload.answer($0) },
    ControlEndpoint("POST", "/sinks/:id", query: ["device", "rtp", "from", "latency"]) { try $0.addSink() },
    ControlEndpoint("PATCH", "/sinks/:id") { try $0.changeSink() },
    ControlEndpoint("DELETE", "/sinks/:id") { try $0.removeSink() },
  ]
}

/// The properties of a sink that can be changed while it plays.
private struct SinkChange: Decodable {
  var gain: Double?
  var muted: Bool?
  var ssrc: UInt32?

  static let names: Set = ["gain", "muted", "ssrc"]
}

extension ControlRequest {
  fileprivate func addSink() throws {
    let query = exchange.head.query
    if let address = query["rtp"], try !flag("device") { return try addRemoteSink(at: address) }
    guard try flag("device"), query["rtp"] == nil, query["from"] == nil, query["latency"] == nil else {
      throw RequestFailure(
        400,
        "a sink is made with device=1, or with rtp=10.0.0.7:5004, to which from and latency may be added; PCM is played with PUT /sinks/\(id)?rate=48000&channels=1"
      )
    }
    do throws(SinkError) { try service.addGraphSink(id: id) } catch {
      throw RequestFailure(error.status, error.description, code: error.code)
    }
    try exchange.answer(201, json: ["id": id, "device": "nearend.sink.\(id)"])
  }

  fileprivate func changeSink() throws {
    let example = "an object such as {\"gain\": 0.5, \"muted\": false, \"ssrc\": 1234}"
    let values = try decode([String: EventValue].self, example)
    guard service.core.mixer.ids.contains(id) else { throw unknownSink }
    if let unknown = values.keys.sorted().first(where: { !SinkChange.names.contains($0) }) {
      throw RequestFailure(404, "unknown sink property '\(unknown)'; properties: \(SinkChange.names.sorted().joined(separator: ", "))")
    }
    let change = try SinkChange(values)
    if let gain = change.gain { service.perform(.setSinkGain(id: id, gain)) }
    if let muted = change.muted { service.perform(.setSinkMuted(id: id, muted)) }
    if let ssrc = change.ssrc { service.updateSsrc(mediaId: id, ssrc: ssrc) }
    guard let sink = service.snapshot().sinks.first(where: { $0.id == id }) else { throw unknownSink }
    try exchange.answer(json: sink)
  }

  fileprivate func removeSink() throws {
    guard service.core.mixer.ids.contains(id) else { throw unknownSink }
    service.removeSink(id: id)
    try exchange.answer(json: ["removed": id])
  }

  private var unknownSink: RequestFailure {
    let ids = service.core.mixer.ids
    return RequestFailure(
      404, "there is no sink '\(id)'; \(ids.isEmpty ? "there is none now" : "there are: \(ids.joined(separator: ", "))")")
  }
}

extension SinkChange {
  /// Validates all values, or throws.
  fileprivate init(_ values: [String: EventValue]) throws(RequestFailure) {
    for (name, value) in values {
      switch (name, value) {
      case ("gain", .number(let number)) where (0...4).contains(number): gain = number
      case ("gain", .integer(let number)) where (0...4).contains(number): gain = Double(number)
      case ("muted", .bool(let on)): muted = on
      case ("ssrc", .integer(let number)) where UInt32(exactly: number) != nil: ssrc = UInt32(number)
      default:
        let possible = ["gain": "a number from 0 to 4", "muted": "true or false", "ssrc": "a whole number from 0 to 4294967295"]
        throw RequestFailure(422, "invalid \(name): give \(possible[name] ?? "another value")")
      }
    }
  }
}

extension SinkError {
  /// The HTTP status of the error.
  var status: Int {
    switch self {
    case .impossibleSampleRate, .impossibleChannelCount, .impossibleBufferSize, .impossibleId: 422
    case .alreadyRegistered, .refused, .tooManySinks: 409
    case .sessionEnds: 503
    }
  }

  var code: ControlFailureCode? { if case .alreadyRegistered = self { .nameTaken } else { nil } }
}
