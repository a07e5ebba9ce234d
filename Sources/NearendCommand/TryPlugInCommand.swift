import ArgumentParser
import Foundation
import Nearend
import RealtimeCore

/// The command that `PlugInTrial` runs: loads a plug-in, which may end this process, and reports on it on standard output.
struct TryPlugInCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "try-plugin", abstract: "Load and run a LADSPA plug-in, and print its ports as JSON.", shouldDisplay: false)

  @Argument(help: "Path of its library.")
  var path: String
  @Option(help: "The plug-in's label; without it all of the library's are described, and none is run.")
  var label: String?
  @Option(parsing: .unconditional, help: "Frames per second.")
  var rate = 48_000
  @Option(parsing: .unconditionalSingleValue, help: "PORT=VALUE; may be repeated.")
  var set: [PortValue] = []

  func run() throws {
    guard PlugInPort.rates.contains(rate) else { throw ValidationError("--rate \(rate): give 1000 to 1000000.") }
    // Plug-ins write to standard output, too.
    let output = dup(STDOUT_FILENO)
    let nothing = open("/dev/null", O_WRONLY)
    dup2(nothing, STDOUT_FILENO)
    // In case no parent is left to end it.
    alarm(60)
    func writeLine(_ bytes: some Sequence<UInt8>) { (Array(bytes) + [0x0A]).withUnsafeBytes { _ = writeWhole($0, to: output) } }
    let facts = PlugInFacts.gather(path: path, label: label, rate: rate, settings: set.settings) { writeLine($0.rawValue.utf8) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    writeLine(try encoder.encode(facts))
    // Skips the plug-in's destructors, which may crash after the work is done.
    _exit(0)
  }
}

extension PlugInTrial {
  /// A trial with this program itself.
  static var ownProgram: PlugInTrial { PlugInTrial(program: "/proc/self/exe") }
}
