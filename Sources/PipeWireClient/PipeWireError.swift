internal import CPipeWire
internal import Glibc

/// What went wrong with PipeWire, and what the caller can do about it. [any]
public struct PipeWireError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure it is.
  public enum Code: Sendable, Equatable {
    /// No daemon answers at the socket.
    case noDaemon
    /// The connection that was there has ended.
    case connectionLost
    /// The daemon or the library refused something.
    case refused
  }
  public let code: Code
  /// A sentence that names what failed, and why.
  public let description: String

  public init(code: Code, description: String) {
    self.code = code
    self.description = description
  }

  /// The C library's words for the last call that failed on this thread.
  static var lastReason: String { reason(errno) }

  /// The C library's words for a (negative) errno.
  static func reason(_ result: Int32) -> String { String(cString: strerror(abs(result))) }
}
