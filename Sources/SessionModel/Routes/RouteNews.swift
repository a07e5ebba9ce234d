/// Distinguishes changes of the route from routes that only look different for a moment (R4). [any]
///
/// Three things obscure what happened: a port may be available a moment before it is used, devices reappear one by one when a daemon
/// returns, and a machine that wakes up may find other devices than before its sleep.
struct RouteNews: Sendable, Equatable {
  /// The instant that the next change is compared with.
  private(set) var last: RouteInstant?
  /// When each port became available: a port that the session manager starts to use a moment later still counts as new.
  private var arrivals: [PortId: Double] = [:]
  /// Until this time, a change of route is reported as `wakeFromSleep`.
  private var wakingUntil = 0.0
  /// Until this time, devices are still appearing after the daemon's return.
  private var settledAt = 0.0

  /// Seconds after a sleep in which devices still return or prove missing: a headset has to connect first.
  static let waking = 5.0

  mutating func sleep(isGoing: Bool, at time: Double) { wakingUntil = isGoing ? .infinity : time + Self.waking }

  /// Reports that a daemon is connected. The first daemon's devices are no change.
  mutating func connected(at time: Double) { if last != nil { settledAt = time + RouteState.patience } }

  /// The time at which devices will have settled; nil once it has passed.
  func settling(at time: Double) -> Double? { time < settledAt ? settledAt : nil }

  /// Updates with the route, changed or not, and returns the change to report.
  mutating func update(
    _ route: RouteDescription, available: Set<PortId>, chosen: [Device.Direction: String], at time: Double
  ) -> RouteChange? {
    let new = RouteInstant(route: route, available: available, chosen: chosen, isWaking: time < wakingUntil)
    arrivals = arrivals.filter { available.contains($0.key) }
    for port in available where arrivals[port] == nil { arrivals[port] = last == nil ? -.infinity : time }
    guard var old = last else {
      last = new
      return nil
    }
    old.available = old.available.filter { port in
      old.route.inputs.contains { $0.id == port } || old.route.outputs.contains { $0.id == port }
        || (arrivals[port].map { time - $0 > RouteState.patience } ?? true)
    }
    // Devices that return with the daemon are not new.
    let isReturning = old.route.inputs.count > route.inputs.count || old.route.outputs.count > route.outputs.count
    if settling(at: time) != nil, isReturning { return nil }
    last = new
    return RouteChange(from: old, to: new)
  }
}
