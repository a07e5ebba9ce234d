import ArgumentParser
import Foundation

/// What tries nearend out for minutes in sessions of its own, and is therefore no part of `make test`.
@main
struct Trials: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Trials of nearend that take minutes.",
    subcommands: [ControlFuzz.self, GraphFuzz.self, FileFuzz.self, FaultMatrix.self, Intercom.self])

  /// The path of this program, to be started again as a part of a trial.
  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
}

/// How long random input is made, and from which numbers.
struct FuzzOptions: ParsableArguments {
  @Option(help: "How long, in seconds.")
  var seconds = 600.0
  @Option(help: "Where the random numbers begin; the same seed makes the same input again.")
  var seed = UInt64.random(in: 0..<1 << 32)
}

/// Prints a line at once, so that it is there even if the next step crashes.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
