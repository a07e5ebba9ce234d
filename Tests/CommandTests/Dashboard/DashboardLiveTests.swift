import Foundation
import Testing

@testable import SimulatedHardware

/// `nearend` on a terminal of 80×24, with a real daemon and real clients.
@Suite("Dashboard, live", .serialized)
struct DashboardLiveTests {
  @Test("U1 U2: the dashboard shows who records and plays, and its keys switch what it shows; q gives the terminal back")
  func live() throws {
    var configuration = SessionConfiguration()
    configuration.runsPulse = false
    configuration.quantum = 512
    let session = try PrivateSession(configuration)
    let terminal = try Terminal(in: session, "--sink", "alice")
    try terminal.expect("IDLE", "nobody records", "nobody plays", "Simulated Microphone", "Simulated Speaker")
    try terminal.expect("(closed)")

    let silence = "\(session.path)/silence.wav"
    try WaveFile(samples: [Float](repeating: 0, count: 48_000 * 120)).write(to: silence)
    _ = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    _ = try session.spawn("pw-play", ["--target", "nearend.speaker", silence])
    try terminal.expect("ACTIVE", "pw-record", "pw-play", "quantum 512 at 48000 Hz (10.7 ms)", "nothing to cancel")
    try terminal.expectGone("(closed)")

    for (key, name) in [("H", "HPF"), ("e", "AEC"), ("n", "NS"), ("g", "AGC")] {
      try terminal.type(key)
      try terminal.expect("\(name) off")
      try expectRow(terminal, name, "off")
      try terminal.type(key)
      try terminal.expect("\(name) on")
      try expectRow(terminal, name, "on")
    }
    try terminal.type("b")
    try terminal.expect("ON: the raw microphone is heard", "on, not in effect: bypassed")
    try terminal.type("b")
    try expectRow(terminal, "Bypass", "off")
    try terminal.type("Space")
    try terminal.expect("MICROPHONE MUTED")
    try terminal.type("M")
    try terminal.expectGone("MICROPHONE MUTED")

    try terminal.type("m")
    try terminal.expect("alice", "mute")
    try terminal.type("?")
    try terminal.expect("this help", "Ctrl-C: quit")
    try terminal.type("Escape")
    try terminal.expectGone("this help")

    for (key, words) in [
      ("F2", "1 of 1: alice"), ("F3", "the session's own"), ("F4", "of one core"), ("F5", "plays through nearend"), ("F6", "Spectrograms"),
      ("F1", "Volumes"),
    ] {
      try terminal.type(key)
      try terminal.expect(words)
    }
    try terminal.type("Tab")
    try terminal.expect("1 of 1: alice")
    try terminal.type("BTab")
    try terminal.expect("Volumes")

    try terminal.type("q")
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 0)
    #expect(terminal.modesAreRestored)
    #expect(try !terminal.isOnAlternateScreen())
    try session.wait(for: "nearend's ports to go") { try session.ports().allSatisfy { !$0.contains("nearend") } }
  }

  @Test("R2: on Routes, Enter takes the selected device, and the graph follows")
  func picksDevice() throws {
    let second = SimulatedDevice(.microphone, name: "hw.second", description: "Second Microphone", priority: 500)
    let session = try plainSession([.speaker, .microphone, second])
    let terminal = try Terminal(in: session)
    try terminal.expect("IDLE", "Simulated Microphone")
    _ = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    try terminal.expect("ACTIVE")
    try terminal.type("c")
    try terminal.expect("Second Microphone")
    // To the first row (the default), then to the second device.
    try terminal.type("Home", "Down", "Down", "Enter")
    try terminal.type("F5")
    try terminal.expect("hw.second chosen")
    try session.wait(for: "the second microphone's link") {
      let links = try session.links().keys
      return links.contains(.init(from: "hw.second:capture_MONO", to: "nearend:mic_MONO"))
        && !links.contains(.init(from: "hw.mic:capture_MONO", to: "nearend:mic_MONO"))
    }
  }

  @Test("O3 U1: without a daemon the dashboard says so and rehearses in a simulated room; q leaves nothing")
  func rehearsal() throws {
    let place = try EmptyPlace()
    let terminal = try Terminal(in: place)
    try terminal.expect("Rehearsal", "ACTIVE", "alice", "bruno", "clara", "room.observer")
    try terminal.expect("far end talks")
    try terminal.type("F5")
    let log = try terminal.expect("no PipeWire daemon", "this is a rehearsal in a", "PIPEWIRE_RUNTIME_DIR=")
    let session = try #require(log.replacing("\n", with: "").firstMatch(of: /XDG_RUNTIME_DIR=(\/tmp\/nearend-session\.\w{6})/)).1
    #expect(FileManager.default.fileExists(atPath: String(session)))
    try terminal.type("q")
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 0)
    #expect(terminal.modesAreRestored)
    expectGone(String(session))
  }

  @Test("O3 O6: where a daemon comes during a rehearsal that nobody asked for, the dashboard says so, and G goes over to it")
  func daemonComesDuringRehearsal() throws {
    let session = try plainSession()
    session.stop(.pipewire, with: SIGTERM)
    let terminal = try Terminal(in: session)
    try terminal.expect("Rehearsal", "ACTIVE")
    try terminal.type("G")
    try terminal.expect("No PipeWire daemon with a real device is there yet")
    try session.start()
    try terminal.expect("a PipeWire daemon is now available")
    try terminal.type("G")
    try session.wait(forPorts: ["nearend.microphone:capture_MONO", "nearend.speaker:playback_FL"])
    let screen = try terminal.expect("IDLE", "Simulated Microphone")
    #expect(!screen.contains("Rehearsal"), "\(screen)")
    try terminal.type("q")
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 0)
    #expect(terminal.modesAreRestored)
  }

  /// Waits until the row that begins with `label` ends with `word`.
  private func expectRow(_ terminal: Terminal, _ label: String, _ word: String) throws {
    var last = ""
    let isSo = try poll {
      last = try terminal.screen()
      let row = last.split(separator: "\n").first { $0.dropFirst(3).hasPrefix(label) } ?? ""
      return row.split(separator: " ").last == Substring(word) ? true : nil
    }
    #expect(isSo == true, "\(label) is not \(word):\n\(last)")
  }
}
