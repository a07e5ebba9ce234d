import ArgumentParser
import OfflineProcessing

/// Prints what `nearend process --tuning` may change. For who develops the canceller.
struct TuningCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tuning", abstract: "Print the canceller's constants as JSON, as process --tuning takes them.", shouldDisplay: false)

  func run() { print(TuningFile.document) }
}
