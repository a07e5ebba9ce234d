extension RouteChange {
  /// The detail of the event `routeChange`: `reason`, and as "portType node, …" the ports of the new route (`inputs`, `outputs`) and of the
  /// previous one (`previousInputs`, `previousOutputs`).
  public var detail: [String: EventValue] {
    func ports(_ ports: [RoutePort]) -> EventValue { .string(ports.map { "\($0.portType.rawValue) \($0.name)" }.joined(separator: ", ")) }
    return [
      "reason": .string(reason.rawValue), "inputs": ports(route.inputs), "outputs": ports(route.outputs),
      "previousInputs": ports(previousRoute.inputs), "previousOutputs": ports(previousRoute.outputs),
    ]
  }

  /// For the log.
  public var words: String { "route \(route.words), was \(previousRoute.words): \(reason.rawValue)" }
}

extension RouteDescription {
  /// "builtInMic > nearend > headphones".
  public var words: String {
    func types(_ ports: [RoutePort]) -> String { ports.isEmpty ? "none" : ports.map(\.portType.rawValue).joined(separator: ", ") }
    return "\(types(inputs)) > nearend > \(types(outputs))"
  }
}

extension RouteChangeReason {
  public var level: LogEntry.Level { self == .noSuitableRoute ? .warning : .info }
}
