import Platform
import RealtimeCore
import SessionModel

extension ControlEndpoints {
  /// Requests for application audio (D4).
  static let appAudio = [
    ControlEndpoint("GET", "/appaudio") { try $0.exchange.answer(json: $0.service.snapshot().appAudio) },
    ControlEndpoint("PUT", "/appaudio/:id", query: ["rate", "channels", "buffer", "type"]) { request in
      let type = try request.sampleType()
      try PCMUpload.answer(request) { rate, channels, milliseconds throws(SinkError) in
        try .appAudio(id: request.id, rate: rate, channels: channels, type: type, milliseconds: milliseconds, in: request.service)
      }
    },
    ControlEndpoint("DELETE", "/appaudio/:id") { request in
      guard request.service.removeAppAudio(id: request.id) else {
        let ids = request.service.core.appAudio.mixer.ids
        throw RequestFailure(
          404,
          "nothing called '\(request.id)' plays into the microphone; \(ids.isEmpty ? "nothing does now" : "there are: \(ids.joined(separator: ", "))")"
        )
      }
      try request.exchange.answer(json: ["removed": request.id])
    },
  ]
}

extension ControlRequest {
  fileprivate func sampleType() throws -> SinkFormat.SampleType {
    let text = exchange.head.query["type"] ?? SinkFormat.SampleType.int16.rawValue
    guard let type = SinkFormat.SampleType(rawValue: text) else {
      let types = SinkFormat.SampleType.allCases.map(\.rawValue).joined(separator: " or ")
      throw RequestFailure(400, "type=\(text) is impossible; give \(types)")
    }
    return type
  }
}

extension PCMRegistration {
  /// Creates a source of application audio, without media: it waits until the voice has a consumer.
  static func appAudio(
    id: String, rate: Int, channels: Int, type: SinkFormat.SampleType, milliseconds: Int, in service: NearendService
  ) throws(SinkError) -> PCMRegistration {
    if let problem = IdRule.problem(id) { throw .impossibleId(id, reason: problem) }
    let format = try SinkFormat(sampleRate: rate, channelCount: channels, sampleType: type)
    let size = max(1, rate * milliseconds / 1000) * format.bytesPerFrame
    let source = try service.addAppAudio(id: id, format: format, bufferSize: size)
    return PCMRegistration(sink: source, waitsFor: "somebody to record from Nearend Microphone") {
      if service.core.appAudio.mixer.ringSink(id: id) === source { service.removeAppAudio(id: id) }
    }
  }
}
