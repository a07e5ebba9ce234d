import SessionModel

extension ControlEndpoints {
  /// Requests for participants on other machines (K12); one that only receives is `POST /sinks/<id>?rtp=…`.
  static let remotes = [
    ControlEndpoint("GET", "/sends") { try $0.exchange.answer(json: $0.service.sends) },
    ControlEndpoint("POST", "/sends", query: ["to", "id", "packet"]) { try $0.addSend() },
    ControlEndpoint("DELETE", "/sends/:id") { try $0.endSend() },
    ControlEndpoint("POST", "/calls", query: ["to", "id", "port", "latency", "packet"]) { try $0.call() },
    ControlEndpoint("DELETE", "/calls/:id") { try $0.endSend() },
  ]
}

extension ControlRequest {
  /// `POST /sinks/<id>?rtp=10.0.0.7:5004&from=10.0.0.8&latency=60`
  func addRemoteSink(at address: String) throws {
    let latency = try integer("latency") ?? RemoteReceiver.standardLatency
    try remote { () throws(RemoteError) in
      try service.addRemoteSink(id: id, at: address, from: exchange.head.query["from"], latency: latency)
    }
    try exchange.answer(201, json: ["id": id, "rtp": address])
  }

  fileprivate func addSend() throws {
    let packet = try integer("packet") ?? 10
    let to = try destination
    let id = try remote { () throws(RemoteError) in try service.send(to: to, id: exchange.head.query["id"], packetTime: packet) }
    try exchange.answer(201, json: ["id": id, "to": to])
  }

  fileprivate func call() throws {
    let (packet, latency) = (try integer("packet") ?? 10, try integer("latency") ?? RemoteReceiver.standardLatency)
    let port = try integer("port")
    guard port.map({ (1...65_534).contains($0) }) != false else {
      throw RequestFailure(422, "port \(port ?? 0) is impossible; give 1 to 65534")
    }
    let to = try destination
    let id = try remote { () throws(RemoteError) in
      try service.call(to, id: exchange.head.query["id"], port: port.map { UInt16($0) }, latency: latency, packetTime: packet)
    }
    try exchange.answer(201, json: ["id": id, "to": to])
  }

  fileprivate func endSend() throws {
    try remote { () throws(RemoteError) in try service.endSend(id: id) }
    try exchange.answer(json: ["removed": id])
  }

  private var destination: String {
    get throws(RequestFailure) {
      guard let to = exchange.head.query["to"] else { throw RequestFailure(400, "say where to: to=10.0.0.8:5004") }
      return to
    }
  }

  private func remote<T>(_ body: () throws(RemoteError) -> T) throws(RequestFailure) -> T {
    do throws(RemoteError) { return try body() } catch { throw RequestFailure(error.status, error.description, code: error.code) }
  }
}
