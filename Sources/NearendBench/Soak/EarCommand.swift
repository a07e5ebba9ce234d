import ArgumentParser
import Foundation
import Nearend
import SimulatedHardware

/// A separate process that records a port, so that the memory of PipeWire's client library is not attributed to the product.
struct EarCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "ear", abstract: "Records from the graph, for a soak.", shouldDisplay: false)
  private static let name = "ear"

  @Argument var socket: String
  @Argument var frames: Int
  @Argument var file: String

  func run() throws {
    // In a group of its own, so that it does not join two clocks.
    let probe = try GraphProbe(socket: socket, name: Self.name, play: [:], record: ["in"], frames: frames, group: "soak.ear")
    let samples = try probe.run().samples["in"] ?? []
    try samples.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: file))
  }

  /// Records a port, from now on.
  static func record(_ port: String, frames: Int, in session: PrivateSession) throws -> [Float] {
    let file = "\(session.path)/ear.raw"
    let process = try session.spawn("/proc/self/exe", ["ear", session.socket, "\(frames)", file])
    defer {
      process.end(grace: 1)
      unlink(file)
    }
    let ear = "\(name).rec:in"
    try session.wait(forPorts: [port, ear])
    // Once linked it may end before its link can be observed.
    try session.wait(for: "the recording", timeout: 15) {
      if process.isRunning { _ = try session.run("pw-link", port, ear) }
      return !process.isRunning
    }
    guard process.exit == .status(0) else { throw EarError(port: port) }
    return try Data(contentsOf: URL(fileURLWithPath: file)).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }
}

struct EarError: Error, CustomStringConvertible {
  let port: String
  var description: String { "nothing could be recorded from \(port)" }
}
