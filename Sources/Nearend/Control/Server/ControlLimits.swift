/// What one client may cost. [any]
struct ControlLimits: Sendable {
  /// At a time. A client beyond them takes the place of one that has asked for nothing yet, or is told to come back later.
  var connections = 256
  /// Bytes of a request's line and headers.
  var headBytes = 16 << 10
  /// Bytes of a body that is read as a whole.
  var bodyBytes = 64 << 10
  /// Seconds until a request's head, or a body that is read as a whole, must have come.
  var requestSeconds = 5.0
  /// Seconds that a connection may wait for its next request.
  var idleSeconds = 60.0
  /// Seconds after which a client that takes nothing is given up, and PCM that has ended and is not played.
  var stallSeconds = 30.0
}
