import ArgumentParser
import Foundation
import Nearend
import PipeWireGraph
import SessionModel

struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the real devices that nearend could use; * marks the session's defaults.")

  @Flag(help: "Print them as JSON.")
  var json = false
  /// The parent's parser runs first, and accepts `--json` and its other options anywhere.
  @ParentCommand var nearend: NearendCommand

  func run() throws {
    try nearend.refuseOptions(of: "devices takes only --json", except: ["--json"])
    let devices: [Device]
    do throws(GraphError) {
      devices = try GraphInspection.devices()
    } catch {
      fail(error, ExitStatus(error))
    }
    if json || nearend.display.json {
      return print(try jsonDocument(devices))
    }
    for direction in [Device.Direction.output, .input] {
      print(direction == .output ? "Speakers" : "Microphones")
      let some = devices.filter { $0.direction == direction }
      if some.isEmpty { print("  none") }
      for device in some { print("  \(device.isDefault ? "*" : " ") \(device.name)  (\(device.description))") }
    }
  }
}
