import Foundation
import SimulatedHardware

// A tool for experiments. `SimulatedSession room …` is the room's own process; otherwise it runs a private PipeWire session: `swift run
// SimulatedSession pw-top`, or without a command until standard input ends. `SimulatedSession desk …` has a desk with every device, and a
// login manager; lines of standard input are incidents.
var command = Array(CommandLine.arguments.dropFirst())
do {
  if command.first == "room" {
    try runRoom(arguments: Array(command.dropFirst()))
    exit(0)
  }
  var configuration = SessionConfiguration()
  if command.first == "desk" {
    command.removeFirst()
    configuration.desk = [DeskCard.Kind.laptop, .usb, .hdmi, .bluetooth].map { DeskCard.make($0) }
    configuration.hasLoginManager = true
  }
  let session = try PrivateSession(configuration)
  FileHandle.standardOutput.write(Data("\(session.path)\n".utf8))
  if command.isEmpty {
    while let line = readLine() {
      do { try session.perform(Incident(line)) } catch { FileHandle.standardError.write(Data("\(error)\n".utf8)) }
    }
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
