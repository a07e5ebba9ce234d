internal import CPipeWire
internal import Glibc

/// An error of PipeWire, with the remedy for the caller. [any]
package struct PipeWireError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: Sendable, Equatable {
    /// No daemon answers at the socket.
    case noDaemon
    /// The connection has ended.
    case connectionLost
    /// The daemon or the library refused something.
    case refused
  }
  /// The failure, for callers that react to it; `description` is for people.
  package let code: Code
  /// A sentence that says what failed and why.
  package let description: String

  /// Creates an error with a sentence for people that says what failed and why.
  package init(code: Code, description: String) {
    self.code = code
    self.description = description
  }

  /// The C library's text for the last failed call on this thread.
  static var lastReason: String { reason(errno) }

  /// The C library's text for a (negative) errno.
  static func reason(_ result: Int32) -> String { String(cString: strerror(abs(result))) }
}
