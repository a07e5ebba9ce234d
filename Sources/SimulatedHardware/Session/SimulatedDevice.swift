/// A sound device that the private daemon makes itself, so that it returns with a restarted daemon.
package struct SimulatedDevice: Sendable, Hashable {
  /// The function of a device, and its ports.
  package enum Kind: Hashable, Sendable {
    /// Plays stereo: `<name>:playback_FL`, `playback_FR`; its sound comes out of `monitor_FL`, `monitor_FR`.
    case speaker
    /// Records mono: audio fed into `<name>:input_MONO` comes out of `capture_MONO`.
    case microphone
    /// Records several channels: audio fed into `<name>:input_AUX0` comes out of `capture_AUX0`, and so on.
    case array(channels: Int)
  }
  /// Whether it plays or records, which determines its ports.
  package var kind: Kind
  /// `node.name`.
  package var name: String
  /// `node.description`, for people.
  package var description: String
  /// `priority.session`: the highest becomes the session manager's default.
  package var priority: Int

  /// Creates a device; names are unique in a session.
  package init(_ kind: Kind, name: String, description: String, priority: Int) {
    self.kind = kind
    self.name = name
    self.description = description
    self.priority = priority
  }

  /// `hw.speaker`, which sessions have by default.
  package static let speaker = SimulatedDevice(.speaker, name: "hw.speaker", description: "Simulated Speaker", priority: 1000)
  /// `hw.mic`. Its priority is above the speaker's, whose monitor WirePlumber 0.5 would otherwise prefer as a source.
  package static let microphone = SimulatedDevice(.microphone, name: "hw.mic", description: "Simulated Microphone", priority: 2000)

  /// Its ports once the session manager has set it up.
  var ports: [String] {
    switch kind {
    case .speaker: ["playback_FL", "playback_FR", "monitor_FL", "monitor_FR"].map { "\(name):\($0)" }
    case .microphone: ["input_MONO", "capture_MONO"].map { "\(name):\($0)" }
    case .array(let channels): (0..<channels).flatMap { ["input_AUX\($0)", "capture_AUX\($0)"] }.map { "\(name):\($0)" }
    }
  }

  /// The group that keeps all simulated hardware, and its observers, on one clock.
  package static let group = "simulated-hardware"

  /// Its entry in `context.objects`.
  func configuration(drivesAt driverPriority: Int) -> String {
    let (mediaClass, position) =
      switch kind {
      case .speaker: ("Audio/Sink", "FL FR")
      case .microphone: ("Audio/Source/Virtual", "MONO")
      case .array(let channels): ("Audio/Source/Virtual", (0..<channels).map { "AUX\($0)" }.joined(separator: " "))
      }
    return """
        { factory = adapter  args = {
            factory.name = support.null-audio-sink  node.name = "\(name)"  node.description = "\(description)"
            media.class = \(mediaClass)  audio.position = [ \(position) ]  node.group = \(Self.group)
            node.pause-on-idle = false  session.suspend-timeout-seconds = 0
            priority.session = \(priority)  priority.driver = \(driverPriority) } }
      """
  }
}
