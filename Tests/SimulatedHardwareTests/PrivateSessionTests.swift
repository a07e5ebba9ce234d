import Foundation
import Testing

@testable import SimulatedHardware

@Suite("Private session")
struct PrivateSessionTests {
  @Test("O3: a session has the simulated devices as its defaults, and leaves no process and no folder behind")
  func startsAndCleansUp() throws {
    let session = try PrivateSession()
    let path = session.path
    #expect(try session.ports().isSuperset(of: SimulatedDevice.speaker.ports + SimulatedDevice.microphone.ports))
    #expect(try session.run("pactl", "get-default-sink").output == "hw.speaker\n")
    #expect(try session.run("pactl", "get-default-source").output == "hw.mic\n")
    #expect(processes(of: path).count >= 4)
    session.end()
    session.end()
    #expect(processes(of: path) == [])
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("O3: two sessions live side by side and do not see each other")
  func twoAtOnce() throws {
    var configuration = SessionConfiguration()
    configuration.runsPulse = false
    let first = try PrivateSession(configuration)
    configuration.devices.append(SimulatedDevice(.speaker, name: "hw.second", description: "Second Speaker", priority: 900))
    let second = try PrivateSession(configuration)
    #expect(first.path != second.path)
    #expect(try second.ports().contains("hw.second:playback_FL"))
    #expect(try !first.ports().contains("hw.second:playback_FL"))
  }

  @Test("O3: everything dies with the process that made the session, even where it is killed", arguments: [SIGKILL, SIGTERM, SIGINT])
  func diesWithItsParent(signal: Int32) throws {
    let (path, parent, input) = try sessionInAnotherProcess()
    #expect(processes(of: path).count >= 4)
    withExtendedLifetime(input) { parent.signal(signal) }
    #expect(parent.wait() == .signal(signal))
    let isGone = poll {
      processes(of: path).isEmpty && !FileManager.default.fileExists(atPath: path) ? true : nil
    }
    #expect(isGone == true, "left: \(processes(of: path))")
  }

  @Test("O3: the devices and the forced quantum come back with a daemon that crashed", arguments: [SIGKILL, SIGTERM])
  func daemonRestarts(signal: Int32) throws {
    var configuration = SessionConfiguration()
    configuration.quantum = 256
    let session = try PrivateSession(configuration)
    let before = try #require(session.process(of: .pipewire)).pid
    session.stop(.pipewire, with: signal)
    #expect(try session.ports() == [])
    #expect(processes(of: session.path).contains("dbus-daemon"))
    try session.start()
    #expect(try #require(session.process(of: .pipewire)).pid != before)
    #expect(try session.ports().isSuperset(of: SimulatedDevice.speaker.ports + SimulatedDevice.microphone.ports))
    #expect(try session.run("pactl", "get-default-sink").output == "hw.speaker\n")
    #expect(try session.run("pw-metadata", "-n", "settings", "0", "clock.force-quantum").output.contains("value:'256'"))
  }

  @Test("O3: the session manager and the PulseAudio server can be restarted alone", arguments: [PrivateSession.Daemon.wireplumber, .pulse])
  func oneDaemonRestarts(daemon: PrivateSession.Daemon) throws {
    let session = try PrivateSession()
    let pipewire = try #require(session.process(of: .pipewire)).pid
    try session.restart(daemon)
    #expect(session.process(of: .pipewire)?.pid == pipewire)
    #expect(session.isRunning(daemon))
    #expect(try session.run("pactl", "get-default-sink").output == "hw.speaker\n")
  }

  @Test(
    "O3: a missing program is named, with its Debian package",
    arguments: [
      ("wireplumber", "wireplumber"), ("pipewire", "pipewire-bin"), ("pipewire-pulse", "pipewire-pulse"), ("dbus-daemon", "dbus-daemon"),
    ])
  func missingProgram(program: String, package: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["sh", "rm", "sleep", "setsid", "dbus-daemon", "pipewire", "wireplumber", "pipewire-pulse"] where name != program {
      let target = try Program.find(name, path: ProcessInfo.processInfo.environment["PATH"] ?? "")
      try FileManager.default.createSymbolicLink(atPath: folder.appendingPathComponent(name).path, withDestinationPath: target)
    }
    var configuration = SessionConfiguration()
    configuration.path = folder.path
    let error = sessionError { try PrivateSession(configuration) }
    #expect(error?.code == .missingProgram)
    #expect(error?.description.contains("'\(program)'") == true)
    #expect(error?.remedy == "on Debian: apt install \(package)")
  }

  @Test("O3: a daemon that cannot start is named, with what it said")
  func brokenConfiguration() throws {
    var configuration = SessionConfiguration()
    configuration.fragments["broken"] = "context.objects = [ { factory = no-such-factory } ]"
    let error = sessionError { try PrivateSession(configuration) }
    #expect(error?.code == .programFailed)
    #expect(error?.message.contains("pipewire has ended") == true)
    #expect(error?.message.contains("no-such-factory") == true)
  }

  @Test("O3: tools run in the session: output, exit status, time limit")
  func tools() throws {
    var configuration = SessionConfiguration()
    configuration.runsPulse = false
    configuration.environment["EXTRA"] = "here"
    let session = try PrivateSession(configuration)
    #expect(
      try session.run("sh", "-c", "echo $EXTRA; echo there >&2; exit 3")
        == ToolResult(output: "here\n", errors: "there\n", exit: .status(3)))
    let error = sessionError { try session.run("sleep", ["60"], timeout: 0.1) }
    #expect(error?.code == .timedOut)
    let message = error?.message ?? ""
    #expect(message.contains(#/: sleep [RSD] in .+, ran .+ ms, queued .+ ms, of .+ ms\n/#), "\(message)")
    #expect(message.contains(#/\npipewire: .* [RSD] in /#), "\(message)")
    try session.link("hw.speaker:monitor_FL", "hw.mic:input_MONO")
    #expect(try session.links() == [.init(from: "hw.speaker:monitor_FL", to: "hw.mic:input_MONO"): "active"])
  }
}

/// The names of the processes that live in the session folder `path`.
func processes(of path: String) -> [String] {
  let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return entries.filter { Int($0) != nil }.compactMap { pid in
    guard let environment = FileManager.default.contents(atPath: "/proc/\(pid)/environ"),
      String(decoding: environment, as: UTF8.self).contains("XDG_RUNTIME_DIR=\(path)\0")
    else { return nil }
    let name = FileManager.default.contents(atPath: "/proc/\(pid)/comm").map { String(decoding: $0, as: UTF8.self) } ?? "?"
    return name.trimmingCharacters(in: .newlines)
  }
}

/// A session made by a separate process; it ends with that process.
private func sessionInAnotherProcess() throws -> (path: String, parent: ChildProcess, input: ChildSocket) {
  let (socket, parent) = try ChildSocket.make { childs in
    try ChildProcess(
      "\(builtProducts)/SimulatedSession", [], environment: ProcessInfo.processInfo.environment, group: 0, input: .descriptor(childs),
      output: .descriptor(childs), errors: .descriptor(childs))
  }
  var line = Data()
  while !line.contains(UInt8(ascii: "\n")), case let data = socket.receive(), !data.isEmpty { line += data }
  return (String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines), parent, socket)
}

/// The folder of the executables built with the tests.
let builtProducts = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
