/// Picked names that are devices of the other direction only: such a device is never used, however long it is waited for (R2). [any]
struct MisplacedPicks: Sendable, Equatable {
  /// When each was found, in seconds of a monotonic clock; infinity once it is reported.
  private var found: [Device.Direction: Double] = [:]

  /// Updates with the picked names and the devices that are there. Returns the directions to report now, each pick once, and the time of
  /// the next: devices that share a name may appear one by one.
  mutating func update(
    _ picked: [Device.Direction: String], in devices: [RouteDevice], at time: Double
  ) -> (now: [Device.Direction], next: Double?) {
    var now: [Device.Direction] = []
    for direction in Device.Direction.both {
      let named = devices.filter { $0.name == picked[direction] }
      guard !named.isEmpty, named.allSatisfy({ $0.direction != direction }) else {
        found[direction] = nil
        continue
      }
      let since = found[direction] ?? time
      let isDue = since.isFinite && time >= since + RouteState.patience
      found[direction] = isDue ? .infinity : since
      if isDue { now.append(direction) }
    }
    return (now, found.values.filter(\.isFinite).min().map { $0 + RouteState.patience })
  }

  /// Forgets a pick that is replaced.
  mutating func forget(_ direction: Device.Direction) { found[direction] = nil }
}
