/// The handler of a method at a path. A path component that begins with ":" is a parameter.
struct ControlEndpoint: Sendable {
  var method: String
  var path: [String]
  /// Allowed names of the query.
  var query: Set<String> = []
  /// Whether there is a place for it when all are taken: short requests by which people mute themselves.
  var isAlwaysAdmitted = false
  var answer: @Sendable (ControlRequest) throws -> Void

  init(
    _ method: String, _ path: String, query: Set<String> = [], isAlwaysAdmitted: Bool = false,
    _ answer: @escaping @Sendable (ControlRequest) throws -> Void
  ) {
    self.method = method
    self.isAlwaysAdmitted = isAlwaysAdmitted
    self.path = path.split(separator: "/").map(String.init)
    self.query = query
    self.answer = answer
  }

  func matches(_ parts: [String]) -> Bool {
    parts.count == path.count && zip(path, parts).allSatisfy { $0 == $1 || $0.hasPrefix(":") }
  }

  var pattern: String { "/" + path.map { $0.hasPrefix(":") ? "<\($0.dropFirst())>" : $0 }.joined(separator: "/") }
}

/// A request with its matched endpoint.
struct ControlRequest {
  let service: NearendService
  let exchange: ControlExchange

  /// The path's only parameter.
  var id: String { exchange.head.path.last ?? "" }

  /// An integer of the query; nil if absent.
  func integer(_ name: String) throws(RequestFailure) -> Int? {
    guard let text = exchange.head.query[name] else { return nil }
    guard let number = Int(text) else { throw RequestFailure(400, "\(name)=\(text) is not a whole number") }
    return number
  }

  /// A number of the query; nil if absent.
  func number(_ name: String) throws(RequestFailure) -> Double? {
    guard let text = exchange.head.query[name] else { return nil }
    guard let number = Double(text), number.isFinite else { throw RequestFailure(400, "\(name)=\(text) is not a number") }
    return number
  }

  /// Returns whether a switch of the query is on; false if it is absent.
  func flag(_ name: String) throws(RequestFailure) -> Bool {
    switch exchange.head.query[name] {
    case nil, "0", "false": return false
    case "1", "true": return true
    case let text?: throw RequestFailure(400, "\(name)=\(text) is neither 1 nor 0")
    }
  }
}
