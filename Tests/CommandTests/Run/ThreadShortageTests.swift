import Foundation
import Platform
import TestSupport
import Testing

@testable import SimulatedHardware

/// A running nearend for which the system has not one more thread.
@Suite("No thread to spare", .serialized)
struct ThreadShortageTests {
  /// Root has no limit of threads, but may become somebody who has, even without an account; the session's files stay open to that one.
  private static let user: UInt32 = 54_321
  private static let identity =
    getuid() == 0
    ? ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--inh-caps=+dac_override", "--ambient-caps=+dac_override"] : []

  private func start(_ session: PrivateSession, _ words: [String], _ variables: [String: String] = [:]) throws -> RunningProgram {
    try session.start("/usr/bin/env", Self.identity + words, variables)
  }

  private func run(_ session: PrivateSession, _ words: String...) throws -> ToolResult { try start(session, words).result() }

  private func text(_ path: String) -> String { String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self) }

  @Test("X4: without one more thread mute, settings, nearend.toml, what is remembered, telemetry, the service manager and the end go on")
  func noThread() throws {
    let session = try plainSession()
    defer { session.end() }
    let receiver = try NotifyReceiver("\(session.path)/notify")
    let folder = session.environment["XDG_CONFIG_HOME"]! + "/nearend"
    let file = "\(folder)/nearend.toml"
    func configure(_ text: String) throws { try text.write(toFile: file, atomically: false, encoding: .utf8) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try configure("[[stage]]\nchain = \"render\"\nplugin = \"amp_1181:amp\"\nid = \"far\"\n")
    // It is read only if nobody else may write it.
    if getuid() == 0 { try #require(chown(file, Self.user, Self.user) == 0) }
    let telemetry = "\(session.path)/telemetry.json"
    let program = try start(
      session, [nearendProgram, "--headless", "--telemetry-file", telemetry],
      ["NOTIFY_SOCKET": receiver.name])
    defer { program.process.end() }
    try #require(receiver.wait(for: "READY=1") != nil, "\(program.errors)")
    try #require(program.says("stage far in the render chain"), "\(program.errors)")
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    // Threads of a pool stay for 5 s after their work, in which they would do what later needs a new one.
    pause(seconds: 6)
    let limit = try run(session, "prlimit", "--pid", "\(program.process.pid)", "--nproc=1:1")
    try #require(limit.succeeded, "\(limit)")
    let source = try run(session, nearendProgram, "source")
    #expect(!source.succeeded && source.errors.contains("no thread for another client"), "there is one to spare: \(source)")

    let recorder = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    defer { recorder.end() }
    #expect(receiver.wait(forStatus: "active; recording: pw-record") != nil, "\(receiver.messages)")
    #expect(eventually { text(telemetry).contains("asmSnapshot") }, "\(program.errors)")
    #expect(try run(session, nearendProgram, "mute").succeeded)
    #expect(receiver.wait(forStatus: "active; microphone muted; recording") != nil, "\(receiver.messages)")
    #expect(try run(session, nearendProgram, "set", "outputVolume", "0.25").succeeded)
    #expect(try run(session, nearendProgram, "get", "outputVolume").output == "0.25\n")
    let remembered = session.environment["XDG_STATE_HOME"]! + "/nearend/remembered.json"
    #expect(eventually { text(remembered).contains("0.25") }, "\(program.errors)")
    // The plug-in's instance is freed, too.
    for volume in ["0.5", "0.75"] {
      try configure("micVolume = \(volume)\n")
      #expect(try eventually { try run(session, nearendProgram, "get", "micVolume").output == "\(volume)\n" }, "\(program.errors)")
    }
    #expect(program.says("without stage far"), "\(program.errors)")
    let begin = ContinuousClock.now
    program.process.signal(SIGTERM)
    #expect(program.process.wait() == .status(0), "\(program.errors)")
    #expect(ContinuousClock.now - begin < .seconds(4), "\(program.errors)")
  }

  @Test("X4: a program that cannot have its first thread says so, and ends")
  func noThreadAtStart() throws {
    let session = try plainSession()
    defer { session.end() }
    for command in [["--headless"], ["devices"], ["process", "--mic", "/nothing", "--out", "/nothing"], ["doctor"]] {
      let result = try start(session, ["prlimit", "--nproc=1:1", nearendProgram] + command).result()
      guard case .status(1...) = result.exit else {
        Issue.record("\(command): \(result)")
        continue
      }
      let words = result.errors + result.output
      #expect(words.contains("the system has no thread to spare for this user") && words.contains("ulimit -u"), "\(command): \(result)")
    }
  }
}
