/// Why a route changed (R4), as in Apple's `AVAudioSession.RouteChangeReason`. [any]
public enum RouteChangeReason: String, Codable, Sendable, CaseIterable {
  case unknown
  /// Something was plugged in or connected, and is used now.
  case newDeviceAvailable
  /// The device in use was unplugged or disappeared.
  case oldDeviceUnavailable
  /// Something began or stopped sending, and the route follows: a Bluetooth headset between A2DP and HFP.
  case categoryChange
  /// A person chose a different device, in nearend or as the system's default.
  case override
  /// The machine slept, and woke up with a different route.
  case wakeFromSleep
  /// No device remains.
  case noSuitableRoute
  /// The same device is used in a different way.
  case routeConfigurationChange
}

/// A change of route. [any]
public struct RouteChange: Codable, Sendable, Equatable {
  /// The reason for the change, derived from both routes and from people's choices.
  public var reason: RouteChangeReason
  /// The route before; empty if there was none.
  public var previousRoute: RouteDescription
  /// The route now; empty with `noSuitableRoute`.
  public var route: RouteDescription

  package init(reason: RouteChangeReason, previousRoute: RouteDescription, route: RouteDescription) {
    self.reason = reason
    self.previousRoute = previousRoute
    self.route = route
  }
}

/// The facts from which the reason of a change is derived, at one instant. [any]
package struct RouteInstant: Sendable, Equatable {
  package var route: RouteDescription
  /// Every port that exists and is not known to be unplugged.
  package var available: Set<PortId>
  /// The device that a person chose, by direction: picked in nearend, otherwise the system's configured default; `node.name`.
  package var chosen: [Device.Direction: String]
  /// Whether the machine sleeps or has just woken up.
  package var isWaking: Bool

  package init(
    route: RouteDescription = RouteDescription(), available: Set<PortId> = [], chosen: [Device.Direction: String] = [:],
    isWaking: Bool = false
  ) {
    self.route = route
    self.available = available
    self.chosen = chosen
    self.isWaking = isWaking
  }
}

extension RouteChange {
  /// Derives the change between two instants; nil if the route is the same. The first reason that applies wins, in this order.
  package init?(from old: RouteInstant, to new: RouteInstant) {
    guard new.route.differs(from: old.route) else { return nil }
    self.init(reason: Self.reason(old, new), previousRoute: old.route, route: new.route)
  }

  private static func reason(_ old: RouteInstant, _ new: RouteInstant) -> RouteChangeReason {
    if new.route.isEmpty { return .noSuitableRoute }
    let changed = [Device.Direction.output, .input].filter { new.route.differs(from: old.route, $0) }
    let isChosen = changed.contains { old.chosen[$0] != new.chosen[$0] }
    if new.isWaking, !isChosen { return .wakeFromSleep }
    // A headset's profile switch replaces its ports, but the headset stays.
    let isOtherProfile = changed.contains { direction in
      old.route[direction].contains { port in new.route[direction].contains { $0.isOtherProfile(of: port) } }
    }
    if isOtherProfile { return .categoryChange }
    if isChosen { return .override }
    let gone = changed.flatMap { old.route[$0] }.filter { !new.available.contains($0.id) }
    let came = changed.flatMap { new.route[$0] }.filter { !old.available.contains($0.id) }
    // ALSA reports a loudspeaker as unplugged while headphones are plugged in, so the jack decides.
    if came.contains(where: { $0.availability == .yes }) { return .newDeviceAvailable }
    if !gone.isEmpty { return .oldDeviceUnavailable }
    if !came.isEmpty { return .newDeviceAvailable }
    let isSameDevices = changed.allSatisfy { old.route[$0].map(\.name) == new.route[$0].map(\.name) }
    return isSameDevices ? .routeConfigurationChange : .unknown
  }
}

extension RoutePort {
  var isBluetooth: Bool { portType == .bluetoothA2DP || portType == .bluetoothHFP || portType == .bluetoothLE }

  fileprivate func isOtherProfile(of other: RoutePort) -> Bool {
    isBluetooth && other.isBluetooth && !device.isEmpty && device == other.device && portType != other.portType
  }
}

extension RouteChange {
  /// The detail of the event `routeChange`: `reason`, and as "portType node, …" the ports of the new route (`inputs`, `outputs`) and of the
  /// previous one (`previousInputs`, `previousOutputs`).
  package var detail: [String: EventValue] {
    func ports(_ ports: [RoutePort]) -> EventValue { .string(ports.map { "\($0.portType.rawValue) \($0.name)" }.joined(separator: ", ")) }
    return [
      "reason": .string(reason.rawValue), "inputs": ports(route.inputs), "outputs": ports(route.outputs),
      "previousInputs": ports(previousRoute.inputs), "previousOutputs": ports(previousRoute.outputs),
    ]
  }

  /// A description for the log.
  package var words: String { "route \(route.words), was \(previousRoute.words): \(reason.rawValue)" }
}

extension RouteDescription {
  /// "builtInMic > nearend > headphones".
  package var words: String {
    func types(_ ports: [RoutePort]) -> String { ports.isEmpty ? "none" : ports.map(\.portType.rawValue).joined(separator: ", ") }
    return "\(types(inputs)) > nearend > \(types(outputs))"
  }
}

extension RouteChangeReason {
  package var level: LogEntry.Level { self == .noSuitableRoute ? .warning : .info }
}
