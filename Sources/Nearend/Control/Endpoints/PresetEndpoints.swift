import SessionModel

extension ControlEndpoints {
  /// Requests for presets: named sets of settings.
  static let presets = [
    ControlEndpoint("GET", "/presets") { try $0.exchange.answer(json: $0.presets().presets) },
    ControlEndpoint("POST", "/presets/:id") { request in
      try request.preset { presets throws(PresetError) in try presets.loadPreset(request.id) }
      try request.exchange.answer(json: ["loaded": request.id])
    },
    ControlEndpoint("PUT", "/presets/:id") { request in
      var path = ""
      try request.preset { presets throws(PresetError) in path = try presets.savePreset(request.id) }
      try request.exchange.answer(201, json: ["saved": request.id, "path": path])
    },
    ControlEndpoint("DELETE", "/presets/:id") { request in
      try request.preset { presets throws(PresetError) in try presets.removePreset(request.id) }
      try request.exchange.answer(json: ["removed": request.id])
    },
  ]
}

extension ControlRequest {
  fileprivate func presets() throws(RequestFailure) -> any PresetKeeping {
    guard let presets = service.presets else { throw RequestFailure(409, PresetError.noFiles.description) }
    return presets
  }

  fileprivate func preset(_ body: (any PresetKeeping) throws(PresetError) -> Void) throws {
    let presets = try presets()
    do throws(PresetError) { try body(presets) } catch { throw RequestFailure(error.status, error.description) }
  }
}

extension PresetError {
  fileprivate var status: Int {
    switch self {
    case .impossibleName: 422
    case .unknown: 404
    case .refused, .held, .noFiles: 409
    case .unwritable: 500
    }
  }
}
