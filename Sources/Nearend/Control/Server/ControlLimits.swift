/// Limits of what one client may cost. [any]
struct ControlLimits: Sendable {
  /// Simultaneous connections. A further client replaces one that has not made a request yet, or else
  /// gets one of the reserve.
  var connections = 256
  /// Connections beyond them, each for one request that cannot wait (see `ControlEndpoint.isAlwaysAdmitted`). The newest replaces the
  /// oldest.
  var reserve = 8
  /// Seconds after which a further client replaces one whose answer is still under way, the oldest first; nil for never, as where answers
  /// are streams.
  var slowestAnswer: Double?
  /// Bytes of a request line with headers.
  var headBytes = 16 << 10
  /// Bytes of a body that is read at once.
  var bodyBytes = 64 << 10
  /// Seconds within which a request's head, or a body that is read at once, must arrive.
  var requestSeconds = 5.0
  /// Seconds that a connection may wait for its next request.
  var idleSeconds = 60.0
  /// Seconds after which a client that accepts nothing is dropped, and an upload is given up whose remaining PCM is not played.
  var stallSeconds = 30.0
  /// Bytes of the stack of a client's thread.
  var stackBytes = 512 << 10
}
