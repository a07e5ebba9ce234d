import Foundation
import Nearend
import SessionModel
import TestSupport
import Testing

@testable import SimulatedHardware

/// A tone that `pw-play` plays on the real speaker beside a call, like any player; for measuring ducking.
struct Music {
  static let frequency = 1_000.0
  static let target = "hw.speaker"
  let session: PrivateSession

  /// Starts a player of a tone, and waits until it plays. `name` is its node's name, `latency` the quantum that it requests, in frames.
  func play(
    _ name: String = "music", frequency: Double = Self.frequency, target: String = Self.target, role: String? = nil, latency: Int = 1_024
  ) throws -> ChildProcess {
    let file = try file(name, frequency: frequency)
    func plays() throws -> Bool { try session.links().contains { $0.key.from == "\(name):output_FL" && $0.value == "active" } }
    try session.wait(for: "the last \(name) to be gone") { try !plays() }
    let role = role.map { ["--media-role", $0] } ?? []
    let player = try session.spawn(
      "pw-play", ["-P", "{ \"node.name\": \"\(name)\" }", "--target", target, "--latency", "\(latency)"] + role + [file])
    try session.wait(for: "\(name) to play", plays)
    return player
  }

  /// Writes a minute of a tone at −12 dBFS to a file; returns its path.
  func file(_ name: String, frequency: Double) throws -> String {
    let file = "\(session.path)/\(name).wav"
    if !FileManager.default.fileExists(atPath: file) {
      let second = sine(frequency, frames: 48_000, level: 0.25)
      try WaveFile(samples: (0..<60).flatMap { _ in second }).write(to: file)
    }
    return file
  }

  /// Records the real speaker from now on.
  func record(seconds: Double) throws -> [Float] {
    let probe = try GraphProbe(
      socket: session.socket, name: "ear", play: [:], record: ["left"], frames: Int(seconds * 48_000))
    try session.link("hw.speaker:monitor_FL", probe.recordPort("left"))
    return try probe.run().samples["left"] ?? []
  }

  /// Level of a tone at the real speaker, in dB below full scale.
  func level(of frequency: Double = Self.frequency) throws -> Double { Self.level(try record(seconds: 0.1), frequency) }

  static func level(_ samples: some Collection<Float>, _ frequency: Double = Self.frequency) -> Double {
    Measures.level(ofTone: frequency, in: samples, rate: 48_000)
  }

  /// Waits until the tone is at this level, and returns it. A single measurement may contain a cycle that a busy machine lost.
  @discardableResult
  func wait(for what: String, level wanted: Double, of frequency: Double = Self.frequency, within tolerance: Double = 0.3) throws -> Double
  {
    var found = -Double.infinity
    do {
      try session.wait(for: what) {
        found = try level(of: frequency)
        return abs(found - wanted) < tolerance
      }
    } catch {
      Issue.record("\(what): \(found) dB instead of \(wanted) dB")
      throw error
    }
    return found
  }

  /// The volume Props of a node in `pw-dump`; nil if there is no such node.
  func volumes(of name: String) throws -> String? {
    let text = try session.run("pw-dump", []).output
    let objects = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [[String: Any]] ?? []
    for object in objects {
      guard let info = object["info"] as? [String: Any], (info["props"] as? [String: Any])?["node.name"] as? String == name else {
        continue
      }
      let props = ((info["params"] as? [String: Any])?["Props"] as? [[String: Any]])?.first ?? [:]
      return "\(props["channelVolumes"] ?? "") \(props["mute"] ?? "") \(props["volume"] ?? "")"
    }
    return nil
  }

  /// The id of a node.
  func id(of name: String) throws -> String {
    try String(#require(try GraphDump(session).nodes.first { $0.name == name }?.id))
  }

  /// Records from nearend until the process ends.
  func startCall() throws -> ChildProcess { try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"]) }
}
