/// Chooses the real devices (R1): the devices that a person picked, or the system's defaults, or the best available. [any]
struct DeviceChoice: Sendable, Equatable {
  /// The names that a person picked, present or not; a direction without one follows the system's default.
  var picked: [Device.Direction: String] = [:]
  /// The devices used last, a fallback when nothing better is known.
  private var last: [Device.Direction: String] = [:]

  /// Chooses the devices, and remembers the choice.
  /// - Parameters:
  ///   - configured: the names of the configured defaults before nearend's.
  ///   - heldSpeaker: the speaker in use while it changes its profile: the system's default will return to it.
  mutating func choose(
    from observation: RouteObservation, configured: [Device.Direction: String], heldSpeaker: String?
  ) -> RouteChoice {
    let speaker = best(.output, observation, configured: configured[.output], held: heldSpeaker)
    var microphone = best(.input, observation, configured: configured[.input], held: nil)
    // A headset in a call has both directions of the call, whatever the system's default source is (R6).
    if let speaker, picked[.input] == nil, speaker.port.portType == .bluetoothHFP, let card = speaker.card {
      microphone = observation.devices(.input).last { $0.card == card } ?? microphone
    }
    last[.input] = microphone?.name ?? last[.input]
    last[.output] = speaker?.name ?? last[.output]
    return RouteChoice(microphone: microphone, speaker: speaker)
  }

  /// Returns the best device: the pick, the one `held` through a headset's transition, the system's default, the user's configured default,
  /// the last one used, the highest priority, in this order. While nearend's device is the default, it is replaced by what would otherwise
  /// be the default; the last one used does not count then. Devices with nothing plugged in come last, unless picked.
  private func best(
    _ direction: Device.Direction, _ observation: RouteObservation, configured: String?, held: String?
  ) -> RouteDevice? {
    let devices = observation.devices(direction)
    if let picked = picked[direction], let device = devices.last(where: { $0.name == picked }) { return device }
    let plugged = devices.filter { !$0.available.isEmpty }
    let current = observation.defaults.current[direction]
    let isOurs = current.map(NodeNames.isOurs) ?? false
    let wanted = isOurs ? [held, configured] : [held, current, configured, last[direction]]
    for name in wanted.compactMap({ $0 }) {
      if let device = plugged.last(where: { $0.name == name }) { return device }
    }
    func rank(_ device: RouteDevice) -> (Int, Int) { (device.priority, device.name == last[direction] ? 1 : 0) }
    return (plugged.isEmpty ? devices : plugged).max { rank($0) < rank($1) }
  }
}
