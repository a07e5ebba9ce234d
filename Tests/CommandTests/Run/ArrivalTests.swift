import Foundation
import SessionModel
import Testing

@testable import SimulatedHardware

/// nearend that starts before its daemon or devices, or while another one runs.
@Suite("Arrival", .serialized)
struct ArrivalTests {
  @Test("O6: started with --wait before any daemon, it says so, can be talked to, and takes up its work when the daemon comes")
  func daemonComes() throws {
    let session = try plainSession()
    session.stop(.pipewire, with: SIGTERM)
    let receiver = try NotifyReceiver("\(session.path)/notify")
    let running = try session.startNearend(
      "--headless", "--wait", "--mic", "hw.mic", variables: ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "600000"])
    let ready = try #require(receiver.wait(for: "READY=1"), "\(running.errors)")
    #expect(ready.status == "interrupted: the PipeWire daemon is gone")
    #expect(running.says("warning: no PipeWire daemon"))
    let waiting = try session.nearend("status")
    #expect(waiting.output.contains("interrupted (the PipeWire daemon is gone)"), "\(waiting)")
    #expect(waiting.output.contains("not connected"), "\(waiting)")
    #expect(poll { receiver.count("WATCHDOG=1") >= 4 ? true : nil } == true)

    try session.start()
    try session.wait(forPorts: ["nearend.microphone:capture_MONO", "nearend.speaker:playback_FL"])
    #expect(running.says("the PipeWire daemon is there after"), "\(running.errors)")
    #expect(receiver.wait(forStatus: "idle; hw.mic → nearend → hw.speaker") != nil, "\(receiver.messages)")
    let recorder = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    defer { recorder.end() }
    try session.wait(for: "the microphone to open") {
      try session.links()[.init(from: "hw.mic:capture_MONO", to: "nearend:mic_MONO")] == "active"
    }
    #expect(receiver.count("READY=1") == 1)
    running.process.signal(SIGTERM)
    #expect(running.process.wait() == .status(0))
  }

  @Test("O6: a nearend that waits for a daemon ends at once when it is told to")
  func endsWhileWaiting() throws {
    let place = try EmptyPlace()
    let running = try place.startNearend("--headless", "--wait", "--json")
    #expect(running.says("waiting for it"), "\(running.errors)")
    running.process.signal(SIGTERM)
    #expect(running.process.wait(timeout: 3) == .status(0))
    let status = try running.status()
    #expect(!status.graph.isConnected && status.session.interruption?.reason == .daemonLost)
  }

  @Test("O6: with --wait a device that is not there is waited for, and said to be; the default is not taken in its place for good")
  func deviceComes() throws {
    let session = try plainSession()
    let running = try session.startNearend("--headless", "--wait", "--mic", "hw.late")
    #expect(running.says("microphone: hw.late is chosen, and will be used once it is available"), "\(running.errors)")
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    #expect(try session.nearend("status").output.contains("until hw.late (chosen) is available"))
  }

  @Test("O6 O1: with --wait a name of a device of the other direction ends with 66 and says so, at once or when the daemon comes")
  func otherDirection() throws {
    let session = try plainSession()
    for (option, name, there) in [("--mic", "hw.speaker", "hw.mic"), ("--speaker", "hw.mic", "hw.speaker")] {
      let result = try session.nearend("--headless", "--wait", option, name)
      #expect(result.exit == .status(66), "\(result)")
      #expect(result.errors.contains("\(option) \(name): that is no") && result.errors.contains("there are: \(there)"), "\(result)")
    }
    session.stop(.pipewire, with: SIGTERM)
    let waiting = try session.startNearend("--headless", "--wait", "--mic", "hw.speaker")
    #expect(waiting.says("waiting for it"), "\(waiting.errors)")
    try session.start()
    #expect(waiting.says("--mic hw.speaker: that is no microphone; there are: hw.mic"), "\(waiting.errors)")
    #expect(waiting.process.wait() == .status(66))
    #expect(try session.ports().allSatisfy { !$0.contains("nearend") })
  }

  @Test("O6: a waiting service whose place is taken says by whom, and takes over when that process ends")
  func placeIsTaken() throws {
    let session = try plainSession()
    session.stop(.pipewire, with: SIGTERM)
    // Another control socket and the same daemon, like a nearend in a container, or a program on the library.
    let other = "\(session.path)/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    let waiting = try session.startNearend("--headless", "--wait", variables: ["XDG_RUNTIME_DIR": other])
    #expect(waiting.says("waiting for it"), "\(waiting.errors)")
    waiting.process.signal(SIGSTOP)
    try session.start()
    let holder = try session.startNearend("--headless")
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    waiting.process.signal(SIGCONT)
    #expect(waiting.says("another nearend (process \(holder.process.pid)) runs"), "\(waiting.errors)")
    #expect(try session.ports().filter { $0 == "nearend:mic_MONO" }.count == 1)
    holder.process.signal(SIGTERM)
    #expect(holder.process.wait() == .status(0))
    #expect(waiting.says("the PipeWire daemon is there after"), "\(waiting.errors)")
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
  }

  @Test("O6: nearend where one runs is its dashboard: keys act there, q leaves it running; --headless says who holds the node")
  func dashboardOfTheOther() throws {
    let session = try plainSession()
    let running = try session.startNearend("--headless")
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    try Terminal(in: session).expectDashboard(of: running.process, in: session)

    // Options of its own cannot be applied to the other instance.
    let own = try Terminal(in: session, "--mic", "hw.mic")
    try own.expectEnd()
    #expect(own.exitStatus == 75)
    let second = try session.nearend("--headless")
    #expect(second.exit == .status(75) && second.errors.contains("\(running.process.pid)"), "\(second.errors)")
  }

  @Test("O6: where a nearend waits for a daemon, nearend in a terminal is its dashboard, and no rehearsal")
  func dashboardOfOneThatWaits() throws {
    let place = try EmptyPlace()
    let running = try place.startNearend("--headless", "--wait")
    #expect(running.says("control socket"), "\(running.errors)")
    let terminal = try Terminal(in: place)
    try terminal.expect("INTERRUPTED", "PipeWire")
    try terminal.type("q")
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 0 && running.process.isRunning)
  }
}
