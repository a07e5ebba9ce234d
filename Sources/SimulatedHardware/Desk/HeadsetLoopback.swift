/// The source that WirePlumber 0.5 gives a Bluetooth headset in every profile: a loopback, silent in A2DP, beside which the headset's own
/// source is internal. WirePlumber 0.4 has none, and offers the headset's own.
package enum HeadsetLoopback: String, Sendable, CaseIterable {
  /// Until 0.5.13: a smart filter of the headset's own source, which has a name of its own, too.
  case smartFilter
  /// Since 0.5.14: a source like any other, whose stream names the headset's own as its target.
  case target

  /// The one of WirePlumber `version`, such as "0.5.8"; nil if that has none.
  package init?(wirePlumber version: String) {
    let numbers = version.split(separator: ".").map { Int($0) ?? 0 }
    guard !numbers.lexicographicallyPrecedes([0, 5]) else { return nil }
    self = numbers.lexicographicallyPrecedes([0, 5, 14]) ? .smartFilter : .target
  }

  /// Name of the loopback's source.
  package static let source = "bluez_input.00:11:22:33:44:55"

  /// Name of the headset's own source meanwhile.
  package var ownSource: String {
    self == .smartFilter ? "bluez_input_internal.00_11_22_33_44_55.0" : "bluez_input.00_11_22_33_44_55.0"
  }

  /// What WirePlumber adds to the headset's own source.
  var ownProperties: [String: String] {
    let properties = ["bluez5.loopback": "false", "api.bluez5.internal": "true"]
    return self == .smartFilter ? properties.merging(["bluez5.loopback-target": "true"]) { $1 } : properties
  }

  fileprivate var captureProperties: String { self == .smartFilter ? "" : "target.object = \(ownSource)" }

  fileprivate func playbackProperties(device: UInt32) -> String {
    guard self == .smartFilter else { return "" }
    return """
      priority.driver = 2010 filter.smart = true \
      filter.smart.target = { bluez5.loopback-target = true bluez5.loopback = false device.id = \(device) }
      """
  }
}

extension PrivateSession {
  /// The version of WirePlumber, such as "0.5.8".
  /// - Throws: `SessionError` if it does not tell.
  package func wirePlumberVersion() throws -> String {
    let output = try run("wireplumber", "--version").output
    let words = output.split { $0.isWhitespace }
    guard let name = words.lastIndex(of: "libwireplumber"), name + 1 < words.endIndex else {
      throw SessionError(.invalidRequest, "WirePlumber does not tell its version: \(output)")
    }
    return String(words[name + 1])
  }

  /// Starts a headset's loopback, whichever WirePlumber runs: streams that record from it tell the policy of WirePlumber 0.5 to switch the
  /// headset to HFP, where it links the loopback to the headset's own source. On a real machine it comes with the card.
  /// - Throws: `SessionError` if there is no Bluetooth headset in the graph.
  package func spawn(_ loopback: HeadsetLoopback) throws -> ChildProcess {
    guard let desk, let device = desk.id(of: .bluetooth) else {
      throw SessionError(.invalidRequest, "there is no Bluetooth headset on the desk")
    }
    desk.hideHeadsetSource(behind: loopback)
    let address = HeadsetLoopback.source.drop { $0 != "." }
    // WirePlumber 0.4 would link the stream to any source.
    let links = try HeadsetLoopback(wirePlumber: wirePlumberVersion()) != nil
    let process = try spawn(
      "pw-loopback",
      [
        "--capture-props",
        """
        { node.name = "bluez_capture_internal\(address)" media.class = "Stream/Input/Audio/Internal" audio.position = [ MONO ] \
        bluez5.loopback = true stream.dont-remix = true node.passive = true node.dont-fallback = true node.linger = true \
        node.autoconnect = \(links) state.restore-props = false \(loopback.captureProperties) }
        """,
        "--playback-props",
        """
        { node.name = "\(HeadsetLoopback.source)" node.description = "Bluetooth Headset" node.virtual = false audio.position = [ MONO ] \
        media.class = "Audio/Source" device.id = \(device) card.profile.device = 0 device.routes = 1 priority.session = 2010 \
        bluez5.loopback = true \(loopback.playbackProperties(device: device)) }
        """,
      ])
    try wait(forPorts: ["\(HeadsetLoopback.source):capture_MONO"])
    return process
  }
}
