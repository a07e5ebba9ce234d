import Foundation
import Testing

@Suite struct FenceTests {
  @Test("L8: everything that the audio thread runs passes RealtimeSanitizer")
  func passes() throws {
    let (status, output) = try realtimeCheck()
    #expect(status == 0, "\(output)")
    #expect(output.contains(", 0 failed"))
  }

  @Test("L8: the fence catches what it must", arguments: [("allocation", "posix_memalign"), ("lock", "pthread_mutex_lock")])
  func catches(violation: String, call: String) throws {
    let (status, output) = try realtimeCheck("--violate", violation)
    #expect(status == 43)
    #expect(output.contains("ERROR: RealtimeSanitizer"))
    #expect(output.contains(call))
  }

  /// Runs the executable that was built beside these tests.
  private func realtimeCheck(_ arguments: String...) throws -> (status: Int32, output: String) {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let executable = tests.deletingLastPathComponent().appendingPathComponent("RealtimeCheck")
    let isBuilt = FileManager.default.isExecutableFile(atPath: executable.path)
    try #require(isBuilt, "\(executable.path) is not there; run swift build --product RealtimeCheck")
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
