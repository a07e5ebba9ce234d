/// A change of profile of the Bluetooth headset in use: its nodes are replaced, and the system's default moves elsewhere meanwhile. nearend
/// waits for the headset while its card is there, but not for long (R6). [any]
struct HeadsetTransition: Sendable, Equatable {
  /// `device.name` of the headset's card.
  var card: String
  /// `node.name` of its speaker before the change.
  var speaker: String
  /// When the change began, in seconds of a monotonic clock.
  var since: Double

  /// When waiting for it ends.
  var end: Double { since + RouteState.patience }

  /// Creates a transition that begins now; nil unless the node of the headset in use has disappeared.
  init?(from choice: RouteChoice, _ route: RouteDescription, _ observation: RouteObservation, at time: Double) {
    guard let speaker = choice.speaker, let port = route.outputs.first,
      port.portType == .bluetoothA2DP || port.portType == .bluetoothHFP, !observation.serials.contains(speaker.serial)
    else { return nil }
    (card, self.speaker, since) = (port.device, port.name, time)
  }

  func isOver(_ observation: RouteObservation, at time: Double) -> Bool {
    !observation.headsets.contains { $0.name == card } || time >= end
  }

  /// Returns the direction that the headset has not restored yet; nil if none is missing.
  func missing(in observation: RouteObservation) -> Device.Direction? {
    func own(_ direction: Device.Direction) -> [RouteDevice] { observation.devices(direction).filter { $0.port.device == card } }
    guard let speaker = own(.output).last else { return .output }
    guard speaker.isKnown else { return .input }
    return speaker.port.portType == .bluetoothHFP && own(.input).isEmpty ? .input : nil
  }
}
