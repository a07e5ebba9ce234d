import Foundation
import PipeWireClient
import SessionModel
import Testing

@testable import Nearend
@testable import NearendCommand
@testable import PipeWireGraph
@testable import SimulatedHardware

/// nearend as a systemd service: what it reports to the service manager, for which a datagram socket stands in, and to the journal.
@Suite("Service manager", .serialized)
struct ServiceManagerTests {
  @Test("O6: notifications reach a socket of the file system and an abstract one, whole")
  func addresses() throws {
    let place = try EmptyPlace()
    for name in ["\(place.path)/notify", "@nearend-test-\(UInt64.random(in: .min ... .max))"] {
      let receiver = try NotifyReceiver(name)
      #expect(try #require(NotifySocket(name)).send("READY=1", "STATUS=idle"))
      #expect(receiver.wait(for: "READY=1")?.text == "READY=1\nSTATUS=idle")
    }
  }

  @Test("O6: an invalid NOTIFY_SOCKET is ignored; a service manager that hangs or is gone delays nothing")
  func unreachable() throws {
    let long = String(repeating: "x", count: 108)
    for name in ["", "@", "relative", "vsock:2:9999", "/\(long)", "@\(long)"] { #expect(NotifySocket(name) == nil, "\(name)") }
    let place = try EmptyPlace()
    #expect(try #require(NotifySocket("\(place.path)/nobody")).send("READY=1") == false)
    let receiver = try NotifyReceiver("\(place.path)/notify", isReading: false)
    let socket = try #require(NotifySocket(receiver.name))
    let began = ContinuousClock.now
    #expect((0..<10_000).contains { _ in !socket.send("WATCHDOG=1") }, "the queue is never full")
    #expect(ContinuousClock.now - began < .seconds(10))
  }

  @Test("O6: a service tells READY once it runs, STATUS with what its session does, WATCHDOG in time, and STOPPING")
  func notifications() throws {
    let session = try plainSession()
    let receiver = try NotifyReceiver("\(session.path)/notify")
    let running = try session.startNearend(
      "--headless", variables: ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "600000"])
    let ready = try #require(receiver.wait(for: "READY=1"), "\(running.errors)")
    #expect(ready.status?.hasPrefix("idle") == true, "\(ready.text)")
    #expect(try session.nearend("status").succeeded, "ready is who can be talked to")
    #expect(receiver.wait(forStatus: "idle; hw.mic → nearend → hw.speaker") != nil, "\(receiver.messages)")

    let recorder = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    #expect(receiver.wait(forStatus: "active; recording: pw-record") != nil, "\(receiver.messages)")
    #expect(try session.nearend("mute").succeeded)
    #expect(receiver.wait(forStatus: "active; microphone muted; recording") != nil, "\(receiver.messages)")
    recorder.end()
    #expect(receiver.wait(forStatus: "idle; microphone muted") != nil, "\(receiver.messages)")

    #expect(poll { receiver.count("WATCHDOG=1") >= 4 ? true : nil } == true)
    let times = receiver.messages.filter { $0.has("WATCHDOG=1") }.map(\.time)
    // Every 0.3 s, with a margin for a busy machine.
    #expect((times[3] - times[0]) / 3 < 0.6, "\(times)")
    let statuses = receiver.messages.compactMap(\.status)
    #expect(zip(statuses, statuses.dropFirst()).allSatisfy { $0 != $1 }, "a status is told once: \(statuses)")

    running.process.signal(SIGTERM)
    #expect(running.process.wait() == .status(0))
    #expect(receiver.wait(for: "STOPPING=1") != nil)
    #expect(receiver.count("READY=1") == 1)
  }

  @Test("O6: WATCHDOG=1 is sent only while the control thread responds")
  func watchdog() throws {
    let session = try plainSession()
    let receiver = try NotifyReceiver("\(session.path)/notify")
    let service = try NearendService(NearendOptions(graph: GraphOptions(remote: session.socket)))
    try service.start()
    defer { service.stop() }
    let notifier = try #require(ServiceNotifier(["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "100000"]))
    notifier.ready(service)
    #expect(poll { receiver.count("WATCHDOG=1") >= 3 ? true : nil } == true)

    let loop = try #require(service.graph as? GraphController).loop
    let hangs = DispatchSemaphore(value: 0)
    let answersAgain = DispatchSemaphore(value: 0)
    let timer = loop.locked {
      let timer = LoopTimer(loop: loop) {
        hangs.signal()
        answersAgain.wait()
      }
      timer.schedule(after: 0.001)
      return timer
    }
    hangs.wait()
    let before = receiver.count("WATCHDOG=1")
    Thread.sleep(forTimeInterval: 1)
    // One may already have been on its way.
    #expect(receiver.count("WATCHDOG=1") <= before + 1)
    answersAgain.signal()
    #expect(poll { receiver.count("WATCHDOG=1") >= before + 4 ? true : nil } == true)
    loop.locked { timer.cancel() }
  }

  @Test("O6: a watchdog that waits for another process, or for none, hears nothing", arguments: ["1", "0"])
  func otherWatchdog(pid: String) throws {
    let session = try plainSession()
    let receiver = try NotifyReceiver("\(session.path)/notify")
    var variables = ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": pid]
    if pid == "0" { variables = ["NOTIFY_SOCKET": receiver.name] }
    let running = try session.startNearend("--headless", "--seconds", "1", variables: variables)
    #expect(receiver.wait(for: "STOPPING=1") != nil, "\(running.errors)")
    #expect(receiver.count("READY=1") == 1)
    #expect(receiver.count("WATCHDOG=1") == 0)
  }

  @Test("O6: remarks bear their level where standard error is the journal, and only there")
  func journal() throws {
    let place = try EmptyPlace()
    func errors(_ arguments: [String], isJournal: Bool) throws -> [Substring] {
      let file = "\(place.path)/errors-\(UInt32.random(in: .min ... .max))"
      try Data().write(to: URL(fileURLWithPath: file))
      var status = stat()
      try #require(stat(file, &status) == 0)
      let stream = "\(status.st_dev):\(status.st_ino + (isJournal ? 0 : 1))"
      let process = try ChildProcess(
        nearendProgram, arguments, environment: place.environment.merging(["JOURNAL_STREAM": stream]) { $1 }, group: place.group,
        errors: .file(file))
      #expect(process.wait() != nil)
      return String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self).split(separator: "\n")
    }
    let waiting = try errors(["--headless", "--wait", "--seconds", "1"], isJournal: true)
    #expect(waiting.contains { $0.hasPrefix("<6>nearend ") }, "\(waiting)")
    #expect(waiting.contains { $0.hasPrefix("<4>no PipeWire daemon") && $0.hasSuffix("; waiting for it") }, "\(waiting)")
    #expect(waiting.allSatisfy { $0.wholeMatch(of: /<[346]>[^<].*/) != nil }, "\(waiting)")
    #expect(try errors(["--headless"], isJournal: true).first?.hasPrefix("<3>no PipeWire daemon") == true)
    let plain = try errors(["--headless", "--wait", "--seconds", "1"], isJournal: false)
    #expect(plain.contains { $0.hasPrefix("nearend: warning: no PipeWire daemon") }, "\(plain)")
    #expect(plain.allSatisfy { $0.hasPrefix("nearend: ") }, "\(plain)")
  }
}
