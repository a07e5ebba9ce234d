import Foundation

/// Counts the instructions of this program's own commands with valgrind's callgrind: reproducible to a tenth of a percent even on a busy
/// machine.
final class InstructionCounter {
  /// This program without Swift's debug information, which valgrind 3.19 cannot read.
  private let path = FileManager.default.temporaryDirectory.appendingPathComponent("NearendBench-\(getpid())").path
  private var profile: String { path + ".callgrind" }

  init() throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    _ = try run(["strip", "--strip-debug", "-o", path, own], package: "binutils")
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    try? FileManager.default.removeItem(atPath: profile)
  }

  /// The instructions of a whole run.
  func count(_ command: [String]) throws -> Int {
    let text = try run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", path] + command, package: "valgrind").errors
    // ==123== Collected : 456
    let line = text.split(separator: "\n").first { $0.contains("Collected :") }
    guard let count = line?.split(separator: " ").last.flatMap({ Int($0) }) else { throw BenchError("callgrind told no count:\n\(text)") }
    return count
  }

  /// Returns what a whole run executed, by function and by call.
  func profile(_ command: [String]) throws -> CallgrindProfile {
    // Addresses of instructions tell apart two calls of the same function in another one.
    let options = ["--tool=callgrind", "--dump-instr=yes", "--callgrind-out-file=\(profile)"]
    _ = try run(["valgrind"] + options + [path] + command, package: "valgrind")
    return try CallgrindProfile(String(contentsOfFile: profile, encoding: .utf8))
  }

  private func run(_ command: [String], package: String) throws -> (output: String, errors: String) {
    let process = Process()
    let output = Pipe()
    let errors = path + ".errors"
    _ = FileManager.default.createFile(atPath: errors, contents: nil)
    defer { try? FileManager.default.removeItem(atPath: errors) }
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    // Otherwise two runs would differ in the order of every dictionary.
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
    process.standardOutput = output
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let said = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
    guard process.terminationStatus == 0 else {
      throw BenchError("\(command[0]) failed: instructions cannot be counted; 'apt-get install \(package)' brings it\n\(said)")
    }
    return (text, said)
  }
}
