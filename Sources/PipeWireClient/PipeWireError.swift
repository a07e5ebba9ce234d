internal import CPipeWire
internal import Glibc
import Platform

/// An error of PipeWire. [any]
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
  /// What to do about it; nil if a daemon is to be started, or there is nothing to say.
  package let remedy: String?

  /// Creates an error with a sentence for people that says what failed and why.
  package init(code: Code, description: String, remedy: String? = nil) {
    self.code = code
    self.description = description
    self.remedy = remedy
  }

  /// Creates the error of a call that has failed with a (negative) errno, whose cause may be that something is short.
  init(failed problem: String, _ code: Int32) {
    let short = Shortage(code: abs(code))
    self.init(code: .refused, description: "\(problem) (\(short?.problem ?? Self.reason(code)))", remedy: short?.remedy)
  }

  /// What to do if no daemon runs.
  package static let startDaemon = "start PipeWire (systemctl --user start pipewire wireplumber)"
  /// A daemon that accepts connections and does not answer.
  package static let silentDaemon = PipeWireError(
    code: .noDaemon, description: "the PipeWire daemon does not answer",
    remedy: "restart PipeWire (systemctl --user restart pipewire wireplumber)")

  /// The C library's text for the last failed call on this thread.
  static var lastReason: String { reason(errno) }

  /// The C library's text for a (negative) errno.
  static func reason(_ result: Int32) -> String { String(cString: strerror(abs(result))) }
}
