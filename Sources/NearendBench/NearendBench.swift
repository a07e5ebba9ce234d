import ArgumentParser
import Foundation
import SimulatedHardware

@main
struct NearendBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "NearendBench",
    abstract: "What nearend costs, measured in private PipeWire sessions with simulated hardware.",
    discussion: "Build for release: Scripts/bench and Scripts/soak do.",
    subcommands: [
      MeasureCommand.self, SoakCommand.self, CopyCommand.self, RoomCommand.self, EarCommand.self, RenderCommand.self, CaptureCommand.self,
    ],
    defaultSubcommand: MeasureCommand.self)
}

struct MeasureCommand: ParsableCommand {
  enum Part: String, CaseIterable, ExpressibleByArgument {
    case latency, restart, cpu, idle, load, core, stages, sinks, dashboard, drift, offline
  }

  static let configuration = CommandConfiguration(commandName: "measure", abstract: "Measure, and print Markdown tables.")

  @Option(parsing: .upToNextOption, help: "What to measure; stages and sinks count instructions, which takes valgrind.")
  var parts = Part.allCases
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Frames per cycle, forced upon the graph; only for latency, cpu, load and offline.", valueName: "frames"))
  var quanta: [Int] = []
  @Option(
    help: ArgumentHelp("Of each measurement of cpu and dashboard (default 20), load (60) and drift (3600, simulated).", valueName: "n"))
  var seconds: Double?
  @Option(help: "Rounds of cpu; the table has their median.")
  var rounds = 3
  @Option(parsing: .upToNextOption, help: "Of cpu: what the far end does.")
  var farEnd = FarEnd.allCases
  @Option(help: ArgumentHelp("The nearend to measure; by default the one beside this program.", valueName: "path"))
  var nearend: String?
  @Option(help: ArgumentHelp("Of cpu: another build of nearend, compared in the same rounds.", valueName: "path"))
  var other: String?

  @Option(
    help: ArgumentHelp("Of offline: a folder of <case>/mic.wav and <case>/far.wav, 48 kHz; without it, double talk.", valueName: "path"))
  var cases: String?

  func validate() throws {
    for quantum in quanta where !(32...8_192).contains(quantum) { throw ValidationError("--quanta \(quantum): give 32 to 8192 frames.") }
    if rounds < 1 { throw ValidationError("--rounds \(rounds): give 1 or more.") }
    if let seconds, seconds < 2 { throw ValidationError("--seconds \(seconds): give 2 or more.") }
  }

  func run() throws {
    #if DEBUG
      progress("this is a debug build: its figures are of no use")
    #endif
    func programs() throws -> Programs { try Programs(nearend: nearend, other: other) }
    func quanta(_ standard: [Int]) -> [Int] { self.quanta.isEmpty ? standard : self.quanta }
    show("Machine: \(Machine.description)\n")
    for part in Part.allCases where parts.contains(part) {
      let tables =
        switch part {
        case .latency: [try measureLatency(programs(), quanta: quanta([128, 256, 480, 512, 1_024]))]
        case .restart: [try measureRestarts(programs(), quantum: self.quanta.first ?? 256)]
        case .cpu:
          [
            try measureProcessorTime(
              programs(), farEnds: FarEnd.allCases.filter(farEnd.contains), quanta: quanta([128, 256]), seconds: seconds ?? 20,
              rounds: rounds)
          ]
        case .idle: [try measureIdle(programs(), seconds: 10)]
        case .load: [try measureLoad(programs(), quanta: quanta([256]), seconds: seconds ?? 60)]
        case .core: [try measureCore()]
        case .stages: [try measureStages()]
        case .sinks: try measureSinks()
        case .dashboard: [try measureDashboard(programs(), seconds: seconds ?? 20)]
        case .offline: [try measureOffline(cases: OfflineCase.all(in: cases), quanta: quanta([480, 256]))]
        case .drift: [try measureDrift(hours: (seconds ?? 3_600) / 3_600)]
        }
      for table in tables { show(table.markdown) }
    }
  }
}

/// The room's own process, started by a soak.
struct RoomCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "room", abstract: "The simulated room of a soak.", shouldDisplay: false)
  @Argument var options: [String] = []
  func run() throws { try runRoom(arguments: options) }
}
