import Foundation
import SimulatedHardware

// A world to try things in. `SimulatedSession room …` is the room's own process; otherwise a private PipeWire session:
// `swift run SimulatedSession pw-top`, or without a command until standard input ends.
let command = Array(CommandLine.arguments.dropFirst())
do {
  if command.first == "room" {
    try runRoom(arguments: Array(command.dropFirst()))
    exit(0)
  }
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
