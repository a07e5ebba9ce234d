import Foundation
import SimulatedHardware

// A private PipeWire session to try things in: `swift run SimulatedSession pw-top`, or without a command until standard input ends.
let command = Array(CommandLine.arguments.dropFirst())
do {
  let session = try PrivateSession()
  FileHandle.standardOutput.write(Data("\(session.path)\n".utf8))
  if command.isEmpty {
    while readLine() != nil {}
  } else {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.environment = session.environment
    try process.run()
    process.waitUntilExit()
  }
  session.end()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
