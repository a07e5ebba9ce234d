internal import Glibc

/// Why a private session could not be made or used: what was wrong, and what to do about it.
public struct SessionError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// A program that the simulation runs is not installed.
    case missingProgram
    /// A daemon or tool ended by itself, or with an error.
    case programFailed
    /// A fact that was waited for did not come true in time.
    case timedOut
    /// The system refused a file, a pipe or a process.
    case system
    /// What the caller asked for cannot be.
    case invalidRequest
  }
  public let code: Code
  /// What was wrong, and where.
  public let message: String
  /// What the caller should do; empty where nothing is known to help.
  public let remedy: String

  public var description: String { remedy.isEmpty ? message : "\(message) (\(remedy))" }

  init(_ code: Code, _ message: String, remedy: String = "") {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// `errno` of the call `call`, in words.
  static func system(_ call: String, _ number: Int32) -> SessionError {
    SessionError(.system, "\(call): \(String(cString: strerror(number)))")
  }
}
