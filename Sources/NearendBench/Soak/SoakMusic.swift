import Foundation
import SeededSignals
import SimulatedHardware

/// Another program's stream to be ducked: a tone on the default speaker, with its level there.
final class SoakMusic {
  static let application = "pw-play"
  /// Level of the tone, dBFS.
  static let level = -12.04

  private let session: PrivateSession
  private var player: ChildProcess?
  private static let node = "soak.music"
  private static let rate = 8_000
  private static let frequency = 1_000.0
  private static let seconds = 120

  init(session: PrivateSession) { self.session = session }

  var isPlaying: Bool { player?.isRunning ?? false }

  func start() throws {
    let file = "\(session.path)/music.wav"
    if !FileManager.default.fileExists(atPath: file) {
      let second = sine(Self.frequency, frames: Self.rate, rate: Self.rate, level: 0.25)
      try WaveFile(samples: (0..<Self.seconds).flatMap { _ in second }, rate: Self.rate).write(to: file)
    }
    // Avoids the PulseAudio server, which may stop receiving events when a session manager has ended.
    player = try session.spawn("pw-play", ["-P", "{ \"node.name\": \"\(Self.node)\" }", file])
  }

  func leaves() {
    player?.end(grace: 1)
    player = nil
  }

  /// The player's own port; nil if it has none.
  func output() throws -> String? { try session.ports().first { $0.hasPrefix("\(Self.node):output") } }

  /// Returns whether the stream is muted, or at a volume other than its own.
  func isLowered() throws -> Bool {
    let dump = try JSONSerialization.jsonObject(with: Data(session.run("pw-dump", []).output.utf8)) as? [[String: Any]] ?? []
    let infos = dump.compactMap { $0["info"] as? [String: Any] }
    let info = infos.first { ($0["props"] as? [String: Any])?["node.name"] as? String == Self.node }
    guard let volumes = ((info?["params"] as? [String: Any])?["Props"] as? [[String: Any]])?.first else { return true }
    func isFull(_ key: String) -> Bool { (volumes[key] as? [Double] ?? [volumes[key] as? Double ?? 0]).allSatisfy { $0 == 1 } }
    func isMuted(_ key: String) -> Bool { volumes[key] as? Bool ?? false }
    return !["volume", "channelVolumes", "softVolumes"].allSatisfy(isFull) || isMuted("mute") || isMuted("softMute")
  }

  /// Returns the monitor port of the real device that it plays on; nil if it plays on none.
  func monitor() throws -> String? {
    let link = try session.links().first { $0.key.from.hasPrefix("\(Self.node):") && $0.value == "active" }
    guard let port = link?.key.to, !port.hasPrefix("nearend") else { return nil }
    // A headset in a call has one channel.
    return port.replacing(":playback_", with: ":monitor_")
  }

  /// The tone's level in a device's output, dBFS.
  static func loudness(_ samples: [Float]) -> Double { Measures.level(ofTone: frequency, in: samples, rate: 48_000) }
}
