import RealtimeCore
import SessionModel

extension ControlEndpoints {
  /// Requests for LADSPA plug-ins as stages (S6).
  static let stages = [
    ControlEndpoint("GET", "/stages") { try $0.exchange.answer(json: $0.service.stages) },
    ControlEndpoint("POST", "/stages") { try $0.addStage() },
    ControlEndpoint("PATCH", "/stages/:id") { try $0.setStage() },
    ControlEndpoint("DELETE", "/stages/:id") { request in
      guard request.service.removeStage(id: request.id) else {
        throw RequestFailure(PlugInError.unknownStage(id: request.id, ids: request.service.stages.map(\.id)))
      }
      try request.exchange.answer(json: ["removed": request.id])
    },
  ]
}

/// A plug-in to add.
private struct StageWish: Decodable {
  var chain: StageStatus.Chain
  /// FILE:LABEL.
  var plugin: String
  var id: String?
  var settings: [String: Double]?

  static let example =
    "an object such as {\"chain\": \"capture\", \"plugin\": \"amp_1181:amp\", \"id\": \"quiet\", \"settings\": {\"Amps gain (dB)\": -6}}"
}

extension ControlRequest {
  fileprivate func addStage() throws {
    let wish = try decode(StageWish.self, StageWish.example)
    let status: StageStatus
    do throws(PlugInError) {
      let address = try PlugInAddress(wish.plugin)
      let isRelative = address.file.utf8.contains(0x2F) && !address.file.hasPrefix("/")
      guard !isRelative else { throw .notFound(file: address.file, folders: ["any folder: its path has to begin with /"]) }
      let chain: PlugInChain = wish.chain == .capture ? .capture : .render
      status = try service.addStage(address, to: chain, id: wish.id, settings: wish.settings ?? [:])
    } catch {
      throw RequestFailure(error)
    }
    try exchange.answer(201, json: status)
  }

  fileprivate func setStage() throws {
    let settings = try decode([String: Double].self, "an object of port names and numbers, such as {\"Amps gain (dB)\": -6}")
    let status: StageStatus
    do throws(PlugInError) { status = try service.setStage(id: id, settings) } catch { throw RequestFailure(error) }
    try exchange.answer(json: status)
  }
}

extension RequestFailure {
  fileprivate init(_ error: PlugInError) { self.init(error.status, error.description) }
}

extension PlugInError {
  /// The HTTP status of the error.
  fileprivate var status: Int {
    switch self {
    case .notFound, .noLabel, .noPort, .unknownStage: 404
    case .address, .library, .channels, .value, .impossibleId: 422
    case .refused, .tooLate, .trial, .stopped, .taken, .tooMany: 409
    }
  }
}
