import SessionModel

/// Serves a nearend's metrics over TCP, for Prometheus: `GET /metrics`, and nothing else. [any]
///
/// It asks for them at each scrape, and so outlives the nearend that it reports on: `nearend_up` is 0 while none answers.
package final class MetricsExporter: Sendable {
  /// Where it listens.
  package let address: ListenAddress
  private let server: ControlServer

  /// Prometheus keeps a connection or two between scrapes. An answer takes milliseconds: whoever does not read it has had its place.
  private static let limits = ControlLimits(
    connections: 16, reserve: 0, slowestAnswer: 1, headBytes: 8 << 10, bodyBytes: 1 << 10, requestSeconds: 5, idleSeconds: 120,
    stallSeconds: 10)

  /// - Parameters:
  ///   - address: where to listen; port 0 selects a free one.
  ///   - names: host names that requests may use besides "localhost" and numeric addresses. At a loopback address only numeric loopback
  ///     addresses are accepted.
  ///   - metrics: returns a nearend's own answer to `GET /metrics`; nil if none answers. Called on the threads of clients.
  /// - Throws: `ListenError`, for instance if the port is in use.
  package init(at address: ListenAddress, names: [String] = [], metrics: @escaping @Sendable () -> String?) throws(ListenError) {
    let listener = try TCPListener(address)
    self.address = listener.address
    let names = HostNames(names, isLoopback: address.isLoopback)
    server = ControlServer(socket: listener, limits: Self.limits) { exchange in
      try names.admit(exchange.head.headers["host"])
      guard exchange.head.path == ["metrics"] else {
        throw RequestFailure(404, "there is no /\(exchange.head.path.joined(separator: "/")); there is: /metrics")
      }
      guard exchange.head.method == "GET" else {
        throw RequestFailure(405, "\(exchange.head.method) is not possible for /metrics; use GET", allow: ["GET"])
      }
      try exchange.answer(type: ServiceMetrics.contentType, Array(ServiceMetrics.exported(metrics()).utf8))
    }
  }

  package func start() { server.start() }

  /// Ends every connection. Idempotent.
  package func stop() { server.stop() }
}
