import Foundation
import Testing

@testable import NearendCommand
@testable import SimulatedHardware

/// Standard error may be full, closed or unread, and what is written to it comes from other processes.
@Suite("Standard error", .serialized)
struct StandardErrorTests {
  enum Broken: String, CaseIterable, CustomTestStringConvertible {
    case full, gone, stuck
    var testDescription: String { rawValue }
  }

  /// Returns the stream for standard error, and the descriptors that must stay open meanwhile.
  private func stream(_ broken: Broken) throws -> (stream: ChildProcess.Stream, open: [Int32]) {
    if broken == .full { return (.file("/dev/full"), []) }
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    if broken == .gone {
      close(ends[0])
      return (.descriptor(ends[1]), [ends[1]])
    }
    // Fill it to the last byte.
    let flags = fcntl(ends[1], F_GETFL)
    _ = fcntl(ends[1], F_SETFL, flags | O_NONBLOCK)
    while write(ends[1], [UInt8](repeating: 46, count: 4_096), 4_096) > 0 {}
    while write(ends[1], [46], 1) > 0 {}
    _ = fcntl(ends[1], F_SETFL, flags)
    return (.descriptor(ends[1]), ends)
  }

  @Test("X3: a standard error that is full, gone or read by nobody costs its lines, and not the call", arguments: Broken.allCases)
  func broken(_ broken: Broken) throws {
    let session = try plainSession()
    let (errors, open) = try stream(broken)
    defer { for descriptor in open { close(descriptor) } }
    let process = try ChildProcess(
      nearendProgram, ["--headless"], environment: session.environment, group: session.group, output: .null, errors: errors)
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    // Each of them logs a remark.
    for name in ["alice", "bert"] { #expect(try session.nearend("sink", "add", name, "--device").exit == .status(0)) }
    let recorder = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    try session.wait(for: "the microphone to open") {
      try session.links().keys.contains(.init(from: "hw.mic:capture_MONO", to: "nearend:mic_MONO"))
    }
    recorder.end()
    #expect(try session.nearend("status").exit == .status(0))
    process.signal(SIGTERM)
    #expect(process.wait() == .status(0))
  }

  @Test("X1: applications' names cannot forge a line or move the cursor")
  func names() throws {
    let session = try plainSession()
    let running = try session.startNearend("--headless")
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    let recorder = try session.spawn(
      "pw-record",
      ["--target", "nearend.microphone", "-P", "{ \"node.name\" = \"evil\\u001b[2J\\nnearend: error: forged\\u009b31m\" }", "/dev/null"])
    defer { recorder.end() }
    #expect(running.says("records from Nearend Microphone"))
    let texts = [
      running.errors, try session.nearend("status").output, try session.nearend("diagnostics").output,
      try session.nearend("devices").output,
      try session.nearend("status", "--json").output,
    ]
    for text in texts {
      #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" }, "\(text.debugDescription)")
      #expect(!text.contains("\nnearend: error: forged"), "\(text)")
    }
    #expect(running.errors.contains("evil\u{FFFD}[2J\u{FFFD}nearend: error: forged"), "\(running.errors)")
    running.process.signal(SIGTERM)
    #expect(running.process.wait() == .status(0))
  }

  @Test("X3: writing a line never blocks, and no more lines wait than there is room for")
  func bounded() throws {
    let (stream, open) = try stream(.stuck)
    defer { for descriptor in open { close(descriptor) } }
    guard case .descriptor(let descriptor) = stream else { return }
    let outlet = LineOutlet(descriptor: descriptor)
    let began = ContinuousClock.now
    for number in 0..<10_000 { outlet.write("line \(number)") }
    outlet.flush(timeout: 0.1)
    #expect(ContinuousClock.now - began < .seconds(5))
    // Once somebody reads, the waiting messages arrive, one line each.
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !String(decoding: received.suffix(64), as: UTF8.self).contains("line \(LineOutlet.capacity - 1)\n") {
      let count = read(open[0], &buffer, buffer.count)
      guard count > 0 else { break }
      received += buffer.prefix(count)
    }
    outlet.flush()
    #expect(String(decoding: received, as: UTF8.self).contains("line 0\nline 1\n"))
  }
}
