import RTP
import RealtimeCore
import SessionModel

/// Why a request about a participant on another machine fails. [any]
package enum RemoteError: Error, Sendable, Equatable, CustomStringConvertible {
  /// An address is invalid, with the reason.
  case address(String)
  /// A number is invalid, with the reason.
  case value(String)
  /// A name is impossible, with the reason.
  case impossibleId(String, reason: String)
  /// The name is taken.
  case taken(id: String)
  /// The port at that address is in use.
  case portTaken(address: String)
  /// No interface of this machine has that address.
  case notHere(address: String)
  /// The system refuses the socket.
  case refused(address: String, reason: String)
  /// The session refuses.
  case session(String)
  /// Nothing more can be opened.
  case resources(String)
  /// As many as may be there are; `what` of them.
  case tooMany(_ what: String, limit: Int)
  case unknown(id: String, ids: [String])

  package var description: String {
    switch self {
    case .address(let text), .value(let text), .session(let text), .resources(let text): text
    case .impossibleId(let id, let reason): "invalid name '\(id)': \(reason)"
    case .tooMany(let what, let limit): "\(limit) \(what), which is the limit; end one first"
    case .taken(let id): "'\(id)' is already registered; choose another name, or remove that one"
    case .portTaken(let address): "\(address) is in use: give another port, or stop the program that uses it"
    case .notHere(let address):
      "\(address) is no address of this machine: give one of its own to receive at, or 0.0.0.0 or [::] for all; who sends is named with from"
    case .refused(let address, let reason): "\(address) cannot be used: \(reason)"
    case .unknown(let id, let ids):
      "nothing called '\(id)' is sent; \(ids.isEmpty ? "nothing is now" : "there are: \(ids.joined(separator: ", "))")"
    }
  }

  init(_ error: RTPAddressError) { self = .address(error.description) }

  static func socket(address: String, _ error: DatagramError) -> RemoteError {
    if error.isTaken { return .portTaken(address: address) }
    return error.isNotHere ? .notHere(address: address) : .refused(address: address, reason: error.reason)
  }

  init(_ error: SinkError) {
    self =
      switch error {
      case .impossibleId(let id, let reason): .impossibleId(id, reason: reason)
      case .alreadyRegistered(let id): .taken(id: id)
      default: .session(error.description)
      }
  }

  /// The HTTP status of the error.
  var status: Int {
    switch self {
    case .address, .value, .impossibleId, .notHere: 422
    case .taken, .portTaken, .refused, .tooMany: 409
    case .session, .resources: 503
    case .unknown: 404
    }
  }

  var code: ControlFailureCode? { if case .taken = self { .nameTaken } else { nil } }
}
