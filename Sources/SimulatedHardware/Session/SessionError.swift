internal import Glibc

/// Why a private session could not be made or used, with the remedy.
package struct SessionError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, for callers that react to it.
  package enum Code: String, Sendable {
    /// A program that the simulation runs is not installed.
    case missingProgram
    /// A daemon or tool ended unexpectedly, or with an error.
    case programFailed
    /// An awaited fact did not become true in time.
    case timedOut
    /// The system refused a file, a pipe or a process.
    case system
    /// The request is impossible.
    case invalidRequest
  }
  /// The kind of failure; `message` says where, and `remedy` what to do.
  package let code: Code
  /// What failed, and where.
  package let message: String
  /// What the caller should do; empty if nothing is known to help.
  package let remedy: String

  package var description: String { remedy.isEmpty ? message : "\(message) (\(remedy))" }

  init(_ code: Code, _ message: String, remedy: String = "") {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// Creates the error of the failed system call `call`, with `errno` in words.
  static func system(_ call: String, _ number: Int32) -> SessionError {
    SessionError(.system, "\(call): \(String(cString: strerror(number)))")
  }
}
