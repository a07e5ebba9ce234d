import Synchronization

/// All requests of the control socket.
struct ControlEndpoints: Sendable {
  /// Held while a client's media is registered together with its sink or source, because two clients may choose the same name at the same
  /// time.
  static let registering = Mutex(())
  /// Held while the programs in use are read and set.
  static let using = Mutex(())

  static let all: [ControlEndpoint] = status + settings + presets + session + sinks + remotes + stages + appAudio + auditions + programs

  /// Finds the endpoint of a request and lets it answer.
  static func answer(_ exchange: ControlExchange, for service: NearendService?) throws {
    guard let service else { throw RequestFailure(503, "nearend is shutting down; start it again") }
    let head = exchange.head
    let there = all.filter { $0.matches(head.path) }
    guard !there.isEmpty else {
      var paths: [String] = []
      for endpoint in all where !paths.contains(endpoint.pattern) { paths.append(endpoint.pattern) }
      throw RequestFailure(404, "there is no /\(head.path.joined(separator: "/")); there are: \(paths.joined(separator: ", "))")
    }
    guard let endpoint = there.first(where: { $0.method == head.method }) else {
      let methods = there.map(\.method)
      throw RequestFailure(405, "\(there[0].pattern) has no \(head.method); use \(methods.joined(separator: " or "))", allow: methods)
    }
    if let unknown = head.query.keys.sorted().first(where: { !endpoint.query.contains($0) }) {
      let known = endpoint.query.sorted().joined(separator: ", ")
      throw RequestFailure(
        400,
        "\(endpoint.method) \(endpoint.pattern) has no parameter '\(unknown)'; \(known.isEmpty ? "it takes none" : "there are: \(known)")")
    }
    if let obstacle = exchange.connection.obstacle, !endpoint.isAlwaysAdmitted { throw RequestFailure(503, obstacle) }
    try endpoint.answer(ControlRequest(service: service, exchange: exchange))
  }
}
