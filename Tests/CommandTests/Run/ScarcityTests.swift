import Foundation
import Nearend
import TestSupport
import Testing

@testable import SimulatedHardware

/// A running nearend whose world is slow, or asks too much.
@Suite("Scarcity", .serialized)
struct ScarcityTests {
  @Test("X4: a client whose every request is logged does not fill the journal; what is left out is counted")
  func journal() throws {
    let place = try EmptyPlace()
    let nearend = try place.startNearend("--headless", "--wait")
    defer { nearend.process.end() }
    #expect(nearend.says("control socket: "))
    let client = try RawClient(path: "\(place.path)/nearend/control.sock")
    let rounds = 1_000
    func mute(_ client: RawClient, times: Int) throws {
      // As many as are answered without anybody reading meanwhile.
      for _ in 0..<times { client.send("POST /mute HTTP/1.1\r\n\r\nPOST /unmute HTTP/1.1\r\n\r\n") }
      client.send("GET /nothing HTTP/1.1\r\nConnection: close\r\n\r\n")
      #expect(try client.receive().contains("404"))
    }
    try mute(client, times: 20)
    for _ in 0..<rounds / 20 { try mute(try RawClient(path: "\(place.path)/nearend/control.sock"), times: 20) }
    #expect(
      try eventually {
        try mute(try RawClient(path: "\(place.path)/nearend/control.sock"), times: 1)
        return nearend.errors.contains("such messages left out")
      })
    let lines = nearend.errors.split(separator: "\n").count { $0.contains("microphone") }
    #expect((LogThrottle.burst / 2...2 * LogThrottle.burst).contains(lines), "\(lines) lines")
    nearend.process.signal(SIGTERM)
    #expect(nearend.process.wait() == .status(0))
  }

  @Test("X4: SIGTERM ends nearend within moments, also while it starts with a daemon that hangs")
  func hangingStart() throws {
    let session = try plainSession()
    defer { session.end() }
    session.freeze(.pipewire)
    defer { session.thaw(.pipewire) }
    let nearend = try session.startNearend("--headless")
    defer { nearend.process.end(grace: 0.1) }
    func takesSignals() -> Bool {
      let status = (try? String(contentsOfFile: "/proc/\(nearend.process.pid)/status", encoding: .utf8)) ?? ""
      guard let mask = status.firstMatch(of: #/SigBlk:\t([0-9a-f]+)/#), let bits = UInt64(mask.1, radix: 16) else { return false }
      return bits >> UInt64(SIGTERM - 1) & 1 == 1
    }
    #expect(eventually { takesSignals() })
    let begin = ContinuousClock.now
    nearend.process.signal(SIGTERM)
    #expect(nearend.process.wait() != nil)
    #expect(ContinuousClock.now - begin < .seconds(4), "\(ContinuousClock.now - begin): \(nearend.errors)")
  }

  @Test("X4: SIGTERM ends a nearend within moments whose daemon hangs in a call")
  func hangingEnd() throws {
    let session = try plainSession()
    defer { session.end() }
    let nearend = try session.startNearend("--headless")
    defer { nearend.process.end(grace: 0.1) }
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    let recorder = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    defer { recorder.end(grace: 0.1) }
    #expect(nearend.says("records from Nearend Microphone"))
    session.freeze(.pipewire)
    defer { session.thaw(.pipewire) }
    let begin = ContinuousClock.now
    nearend.process.signal(SIGTERM)
    #expect(nearend.process.wait() != nil)
    #expect(ContinuousClock.now - begin < .seconds(4), "\(ContinuousClock.now - begin): \(nearend.errors)")
  }

  @Test("X4, D1: without a free descriptor mute is let in all the same, and others are told why they are not")
  func noDescriptor() throws {
    let session = try plainSession()
    defer { session.end() }
    let nearend = try session.startNearend("--headless")
    defer { nearend.process.end() }
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    #expect(try session.nearend("status").succeeded)
    let pid = nearend.process.pid
    let used = Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").compactMap { UInt($0) })
    let free = try #require((0...UInt(used.count)).first { !used.contains($0) })
    func limit(_ count: String) throws { #expect(try session.run("prlimit", "--pid", "\(pid)", "--nofile=\(count):").succeeded) }
    let former = try session.run("prlimit", "--pid", "\(pid)", "--nofile", "--output", "SOFT", "--noheadings", "--raw").output
    try limit("\(free)")
    // One that says nothing must not keep others out.
    let silent = try RawClient(path: "\(session.path)/nearend/control.sock")
    let begin = ContinuousClock.now
    let mute = try session.nearend("mute")
    #expect(mute.succeeded && ContinuousClock.now - begin < .seconds(3), "\(mute)")
    let status = try session.nearend("status")
    #expect(!status.succeeded && status.errors.contains("no descriptor is left"), "\(status)")
    try limit(former.trimmingCharacters(in: .whitespacesAndNewlines))
    #expect(try session.nearend("get", "mute").output == "true\n")
    withExtendedLifetime(silent) {}
  }

  @Test("X4: with fewer descriptors than a session takes nearend does not begin, and says that they are few and what to do")
  func fewDescriptorsForSession() throws {
    let session = try plainSession()
    defer { session.end() }
    for limit in [7, 12, 16, 19, 20, 22, 24, 25, 28, 30, 35, 36, 37, 40, 50, 60] {
      let result = try session.start("/usr/bin/env", ["prlimit", "--nofile=\(limit):\(limit)", nearendProgram, "--headless"]).result()
      let says = ["this process may have \(limit)", "ulimit -n"].allSatisfy { result.errors.contains($0) }
      #expect(result.exit == .status(1) && says, "\(limit): \(result)")
    }
  }

  @Test("X4: with few descriptors a command does its work, or says that they are few and what to do")
  func fewDescriptors() throws {
    let session = try plainSession()
    defer { session.end() }
    let nearend = try session.startNearend("--headless")
    defer { nearend.process.end() }
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    let sound = "\(session.path)/mic.wav"
    try WaveFile(samples: (0..<4_800).map { Float($0 % 100) / 200 }, rate: 48_000).write(to: sound)
    let commands = [
      ["devices"], ["doctor"], ["status"], ["mute"], ["set", "outputVolume", "0.5"], ["sink", "list"], ["diagnostics"],
      ["config", "check"], ["process", "--mic", sound, "--out", "\(session.path)/out.wav"], ["--headless"], ["rehearse", "--headless"],
    ]
    // With 3 no program begins. PipeWire's client library fails in other ways at nearly each number.
    for limit in 4...24 {
      let isTriedWithAll = [4, 5, 6, 8, 11, 16].contains(limit)
      for command in commands where isTriedWithAll || [["devices"], ["doctor"], ["--headless"]].contains(command) {
        let words = ["prlimit", "--nofile=\(limit):\(limit)", nearendProgram] + command
        let result = try session.start("/usr/bin/env", words).result()
        guard case .status(let status) = result.exit else {
          Issue.record("\(command) with \(limit): \(result)")
          continue
        }
        let says = (result.errors + result.output).contains("this process may have \(limit)")
        #expect(status == 0 || says && (result.errors + result.output).contains("ulimit -n"), "\(command) with \(limit): \(result)")
      }
    }
    // What could not be asked may well be there.
    for limit in 4...8 {
      let result = try session.start("/usr/bin/env", ["prlimit", "--nofile=\(limit):\(limit)", nearendProgram, "doctor"]).result()
      for untrue in ["no PipeWire daemon answers", "nearend is not running", "was left by a crashed nearend"] {
        #expect(!result.output.contains(untrue), "with \(limit): \(result)")
      }
    }
    let isolation = try session.start("/usr/bin/env", ["prlimit", "--nofile=32:32", nearendProgram, "isolation", "status"]).result()
    #expect(!isolation.succeeded && !isolation.errors.contains("descriptors"), "it is not installed, with 32 as well: \(isolation)")
    #expect(try session.nearend("status").succeeded)
  }
}
