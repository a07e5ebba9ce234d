/// What a method does at a path. A part of the path that begins with ":" is a parameter.
struct ControlRoute: Sendable {
  var method: String
  var path: [String]
  /// Names that the query may have.
  var query: Set<String> = []
  var answer: @Sendable (ControlRequest) throws -> Void

  init(_ method: String, _ path: String, query: Set<String> = [], _ answer: @escaping @Sendable (ControlRequest) throws -> Void) {
    self.method = method
    self.path = path.split(separator: "/").map(String.init)
    self.query = query
    self.answer = answer
  }

  func matches(_ parts: [String]) -> Bool {
    parts.count == path.count && zip(path, parts).allSatisfy { $0 == $1 || $0.hasPrefix(":") }
  }

  var pattern: String { "/" + path.map { $0.hasPrefix(":") ? "<\($0.dropFirst())>" : $0 }.joined(separator: "/") }
}

/// A request at its route.
struct ControlRequest {
  let service: NearendService
  let exchange: ControlExchange

  /// The path's only parameter.
  var id: String { exchange.head.path.last ?? "" }

  /// A whole number of the query.
  func integer(_ name: String) throws(RequestFailure) -> Int? {
    guard let text = exchange.head.query[name] else { return nil }
    guard let number = Int(text) else { throw RequestFailure(400, "\(name)=\(text) is not a whole number") }
    return number
  }

  /// A switch of the query; false where it is not there.
  func flag(_ name: String) throws(RequestFailure) -> Bool {
    switch exchange.head.query[name] {
    case nil, "0", "false": return false
    case "1", "true": return true
    case let text?: throw RequestFailure(400, "\(name)=\(text) is neither 1 nor 0")
    }
  }
}
