import Foundation
import SessionModel

@testable import SimulatedHardware

/// Where a test's programs run: a folder, an environment, and a process group that ends with the test process, even if that is killed.
protocol Place {
  var path: String { get }
  var environment: [String: String] { get }
  var group: pid_t { get }
}

extension PrivateSession: Place {}

/// A place without a PipeWire daemon.
final class EmptyPlace: Place {
  private let folder: SessionFolder
  let environment: [String: String]
  var path: String { folder.path }
  var group: pid_t { folder.group }

  /// `variables` override those that every program needs; an empty value removes one, and {place} is the folder.
  init(_ variables: [String: String] = [:]) throws {
    let inherited = ProcessInfo.processInfo.environment
    let folder = try SessionFolder(environment: inherited)
    self.folder = folder
    var environment = [
      "PATH": inherited["PATH"] ?? "/usr/bin:/bin", "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "LC_ALL": "C.UTF-8",
      // Synthesised speech is cached across tests.
      "XDG_CACHE_HOME": URL(fileURLWithPath: Speech.defaultCache).deletingLastPathComponent().path,
    ]
    environment.merge(variables.mapValues { $0.replacing("{place}", with: folder.path) }) { $1 }
    self.environment = environment.filter { !$0.value.isEmpty }
  }
}

/// The built `nearend`, beside the test bundle.
let nearendProgram = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path + "/nearend"

/// A program started by a test, with its output.
struct RunningProgram {
  let process: ChildProcess
  fileprivate let files: (output: String, errors: String)

  var output: String { text(files.output) }
  var errors: String { text(files.errors) }

  private func text(_ file: String) -> String { String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self) }

  /// Waits until standard error contains `words`; returns false if it ends, or 60 s pass, before.
  func says(_ words: String) -> Bool {
    poll { errors.contains(words) ? true : process.isRunning ? nil : errors.contains(words) } ?? false
  }

  /// Returns the output and exit once it has ended; kills it after `timeout` seconds.
  func result(timeout: Double = factTimeout) -> ToolResult {
    let exit = process.wait(timeout: timeout) ?? process.end(grace: 0.2)
    return ToolResult(output: output, errors: errors, exit: exit)
  }

  /// The status document in its output.
  func status() throws -> Snapshot { try JSONDecoder().decode(Snapshot.self, from: Data(output.utf8)) }
}

extension Place {
  /// Starts a program here. `variables` override the environment.
  func start(_ program: String, _ arguments: [String], _ variables: [String: String] = [:]) throws -> RunningProgram {
    let name = "\(path)/program-\(UInt64.random(in: .min ... .max))"
    let process = try ChildProcess(
      program, arguments, environment: environment.merging(variables) { $1 }, group: group, output: .file("\(name).out"),
      errors: .file("\(name).err"))
    return RunningProgram(process: process, files: ("\(name).out", "\(name).err"))
  }

  func startNearend(_ arguments: String..., variables: [String: String] = [:]) throws -> RunningProgram {
    try start(nearendProgram, arguments, variables)
  }

  /// Runs `nearend` to its end; standard input is empty, and no stream is a terminal.
  func nearend(_ arguments: [String], _ variables: [String: String] = [:]) throws -> ToolResult {
    try start(nearendProgram, arguments, ["COLUMNS": "80"].merging(variables) { $1 }).result()
  }

  func nearend(_ arguments: String...) throws -> ToolResult { try nearend(arguments) }
}

/// Makes a session without a PulseAudio server, which starts faster.
func plainSession(_ devices: [SimulatedDevice] = [.speaker, .microphone]) throws -> PrivateSession {
  var configuration = SessionConfiguration()
  configuration.runsPulse = false
  configuration.devices = devices
  return try PrivateSession(configuration)
}

/// The names of the processes whose environment contains the folder `path`, because they live there.
func processes(in path: String) -> [String] {
  let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return entries.filter { Int($0) != nil }.compactMap { pid in
    guard let environment = FileManager.default.contents(atPath: "/proc/\(pid)/environ"),
      String(decoding: environment, as: UTF8.self).contains(path)
    else { return nil }
    let name = FileManager.default.contents(atPath: "/proc/\(pid)/comm").map { String(decoding: $0, as: UTF8.self) } ?? "?"
    return name.trimmingCharacters(in: .newlines)
  }
}
