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

  /// Returns the instructions of a whole run, by the symbol of their function, excluding the functions that it calls.
  func countByFunction(_ command: [String]) throws -> [String: Int] {
    _ = try run(["valgrind", "--tool=callgrind", "--callgrind-out-file=\(profile)", path] + command, package: "valgrind")
    let text = try run(["callgrind_annotate", "--threshold=100", profile], package: "valgrind").output
    var counts: [String: Int] = [:]
    //  1,234,567 ( 3.40%)  ???:symbol [/path/to/the/program]
    for line in text.split(separator: "\n") {
      guard let end = line.range(of: "%)  "), let count = line.split(separator: " ").first.flatMap({ Int($0.replacing(",", with: "")) }),
        let colon = line[end.upperBound...].firstIndex(of: ":")
      else { continue }
      let symbol = line[line.index(after: colon)...].split(separator: " ").first.map(String.init) ?? ""
      counts[symbol, default: 0] += count
    }
    guard !counts.isEmpty else { throw BenchError("callgrind_annotate named no function:\n\(text)") }
    return counts
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
