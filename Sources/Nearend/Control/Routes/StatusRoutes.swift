import SessionModel

extension ControlRoutes {
  /// What nearend tells of itself.
  static let status = [
    ControlRoute("GET", "/status") { request in
      try request.exchange.answer(type: "application/json", Array(request.service.snapshot().json().utf8) + [10])
    },
    ControlRoute("GET", "/events") { try EventFeed.answer($0) },
  ]
}
