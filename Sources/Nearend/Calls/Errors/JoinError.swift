/// Why a call cannot be joined. [any]
public enum JoinError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Neither direction was requested.
  case neitherSendsNorReceives(id: String)
  /// A call of that id has not ended yet.
  case alreadyJoined(id: String)
  /// The session cannot start.
  case cannotStart(GraphError)

  public var description: String {
    switch self {
    case .neitherSendsNorReceives(let id): "call '\(id)' neither sends nor receives; set sends or receives"
    case .alreadyJoined(let id): "call '\(id)' is joined already; end it first, or choose another id"
    case .cannotStart(let error): error.description
    }
  }
}
