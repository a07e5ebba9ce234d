import SessionModel

extension ControlEndpoints {
  /// Requests for nearend's state.
  static let status = [
    ControlEndpoint("GET", "/status") { try $0.answer(json: $0.service.snapshot().json()) },
    ControlEndpoint("GET", "/diagnostics") {
      try $0.exchange.answer(type: "text/plain; charset=utf-8", Array($0.service.diagnostics().utf8))
    },
    ControlEndpoint("GET", "/telemetry") { request in
      guard let document = request.service.telemetryJSON() else {
        throw RequestFailure(500, "the telemetry cannot be written as JSON; GET /status tells the same")
      }
      try request.answer(json: document)
    },
    ControlEndpoint("PUT", "/telemetry/config") { try $0.configureTelemetry() },
    ControlEndpoint("GET", "/metrics") { try $0.exchange.answer(type: ServiceMetrics.contentType, Array($0.service.metrics().utf8)) },
    ControlEndpoint("GET", "/history", query: ["after"]) { request in
      let number = try request.integer("after") ?? 0
      guard number >= 0 else { throw RequestFailure(400, "after=\(number) is less than 0") }
      try request.exchange.answer(json: request.service.history(after: UInt64(number)))
    },
    ControlEndpoint("GET", "/events") { try EventFeed.answer($0) },
    ControlEndpoint("GET", "/source", query: ["id", "rate", "channels"]) { try PCMDownload.answer($0) },
  ]
}

extension ControlRequest {
  /// Takes an operator's deployment configuration (T3); only its section "clientTelemetry" is used.
  fileprivate func configureTelemetry() throws {
    let document = try exchange.read("application/json")
    let gate: TelemetryGate
    do throws(TelemetryConfigurationError) {
      gate = try TelemetryGate(configuration: document)
    } catch {
      throw RequestFailure(422, error.description)
    }
    guard service.set(telemetryGate: gate) else {
      throw RequestFailure(
        409, "no telemetry destination is configured; start nearend with --telemetry-file, --telemetry-url or --telemetry-otlp")
    }
    struct Answer: Encodable {
      var sendASMTelemetryMinRemoteVersion: String?
      var disabledTelemetryTypes: [String]
      var heldBack: String?
    }
    try exchange.answer(
      json: Answer(
        sendASMTelemetryMinRemoteVersion: gate.minimumVersion?.description,
        disabledTelemetryTypes: gate.disabledTypes.map(\.rawValue).sorted(),
        heldBack: service.report().telemetryHeldBack))
  }

  /// Answers with a document that is already JSON.
  fileprivate func answer(json document: String) throws {
    try exchange.answer(type: "application/json", Array(document.utf8) + [10])
  }
}
