import Doctor
import Foundation
import SessionModel
import Testing

@testable import SimulatedHardware

/// The whole program where webrtc-audio-processing is not installed.
@Suite("Without webrtc-audio-processing", .serialized)
struct MissingLibraryTests {
  private static let nowhere = ["NEAREND_WEBRTC_PATH": "/nonexistent"]

  /// Whether the text says what is missing, and how three distributions install it.
  private func expectHelp(_ text: String) {
    for words in ["webrtc-audio-processing", "apt install libwebrtc-audio-processing-1-3", "dnf install", "pacman -S"] {
      #expect(text.contains(words), "\(words): \(text)")
    }
  }

  @Test("V7 V10: chosen by option, the engine webrtc is not there: nearend's own goes on, and the log says why; set refuses it, too")
  func live() throws {
    let session = try plainSession()
    let nearend = try session.startNearend("--headless", "--aec", "webrtc", variables: Self.nowhere)
    #expect(nearend.says("control socket"))
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    #expect(nearend.says("nearend goes on"), "\(nearend.errors)")
    expectHelp(nearend.errors)

    func status() throws -> Snapshot {
      try JSONDecoder().decode(Snapshot.self, from: Data(try session.nearend("status", "--json").output.utf8))
    }
    #expect(try status().processing.engine == .nearend)
    let refused = try session.nearend("set", "aec", "webrtc")
    #expect(!refused.succeeded)
    expectHelp(refused.errors)
    #expect(try status().processing.engine == .nearend)
    #expect(try session.nearend("get", "aec").output.contains("nearend"))
    #expect(try session.nearend("set", "aec", "off").succeeded)
    #expect(try session.nearend("set", "aec", "nearend").succeeded)

    let doctor = try session.nearend(["doctor", "--json"], Self.nowhere)
    let finding = try JSONDecoder().decode([Finding].self, from: Data(doctor.output.utf8)).first { $0.id == "engine" }
    #expect(finding?.severity == .fine && finding?.summary.contains("not installed") == true, "\(String(describing: finding))")
    #expect(finding?.evidence.contains { $0.contains("apt install libwebrtc-audio-processing-1-3") } == true)
    nearend.process.signal(SIGTERM)
    #expect(nearend.result().exit == .status(0))
  }

  @Test("V7: the library is loaded only once its engine is chosen")
  func loadedOnDemand() throws {
    let session = try plainSession()
    let nearend = try session.startNearend("--headless")
    #expect(nearend.says("control socket"))
    func isLoaded() throws -> Bool {
      try String(contentsOfFile: "/proc/\(nearend.process.pid)/maps", encoding: .utf8).contains("/libwebrtc")
    }
    #expect(try session.nearend("status").succeeded)
    #expect(try !isLoaded())
    #expect(try session.nearend("set", "aec", "webrtc").succeeded)
    #expect(try isLoaded())
    nearend.process.signal(SIGTERM)
    #expect(nearend.result().exit == .status(0))
  }

  @Test("S9: process --aec webrtc ends with what is missing, and writes nothing")
  func process() throws {
    let place = try EmptyPlace(Self.nowhere)
    let (mic, out) = ("\(place.path)/mic.wav", "\(place.path)/out.wav")
    try WaveFile(samples: [Float](repeating: 0.1, count: 48_000), rate: 48_000).write(to: mic)
    let refused = try place.nearend("process", "--mic", mic, "--out", out, "--aec", "webrtc")
    #expect(!refused.succeeded)
    expectHelp(refused.errors)
    #expect(!FileManager.default.fileExists(atPath: out))
    #expect(try place.nearend("process", "--mic", mic, "--out", out).succeeded)
  }
}
