extension PrivateSession {
  /// Name of the source that `spawnHeadsetLoopback` makes.
  package static let headsetLoopback = "bluez_input.00:11:22:33:44:55"

  /// Starts the source that WirePlumber 0.5 gives a Bluetooth headset in every profile, silent in A2DP: streams that record from it tell
  /// WirePlumber's policy to switch the headset to HFP. WirePlumber 0.4 has no such source. On a real machine it comes with the card.
  /// - Throws: `SessionError` if there is no Bluetooth headset in the graph.
  package func spawnHeadsetLoopback() throws -> ChildProcess {
    guard let device = desk?.id(of: .bluetooth) else { throw SessionError(.invalidRequest, "there is no Bluetooth headset on the desk") }
    let address = Self.headsetLoopback.drop { $0 != "." }
    let process = try spawn(
      "pw-loopback",
      [
        "--capture-props",
        """
        { node.name = "bluez_capture_internal\(address)" media.class = "Stream/Input/Audio/Internal" audio.position = [ MONO ] \
        bluez5.loopback = true stream.dont-remix = true node.passive = true node.dont-fallback = true node.linger = true \
        node.autoconnect = false state.restore-props = false }
        """,
        "--playback-props",
        """
        { node.name = "\(Self.headsetLoopback)" node.description = "Bluetooth Headset" node.virtual = false audio.position = [ MONO ] \
        media.class = "Audio/Source" device.id = \(device) card.profile.device = 0 device.routes = 1 priority.driver = 2010 \
        priority.session = 2010 bluez5.loopback = true filter.smart = true filter.smart.target = { bluez5.loopback-target = true } }
        """,
      ])
    try wait(forPorts: ["\(Self.headsetLoopback):capture_MONO"])
    return process
  }
}
