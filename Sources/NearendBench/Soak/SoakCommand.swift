import ArgumentParser
import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import SimulatedHardware

/// Checks that nearend survives a long day: a simulated room, in which people and programs do everything they can to it, at random, from
/// one seed.
struct SoakCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Run nearend in a simulated room while settings, participants, clients and daemons change at random.",
    discussion:
      """
      Ends with status 1 and the seed where something is not as it must be. The same seed and length give the same events in the same order, with the \
      same pauses between them; what the daemons make of them is theirs. A daemon that crashes by itself is counted, \
      started again, and one more thing to recover from.
      """)

  @Option(help: ArgumentHelp("How long, 60 or more; what takes time itself, as restarts do, comes on top.", valueName: "n"))
  var seconds = 600.0
  @Option(help: "Seed of the random events; a different one each time by default.")
  var seed: UInt64?
  @Flag(help: "Only print the events.")
  var list = false

  func validate() throws {
    if !(seconds >= 60) { throw ValidationError("--seconds \(seconds): give 60 or more; memory is judged after warming up.") }
  }

  func run() throws {
    let seed = seed ?? UInt64.random(in: 1...999_999)
    report("seed \(seed), \(number(seconds, 0)) s")
    if list {
      for (seconds, event) in SoakSchedule(seed: seed, seconds: seconds) { show("\(number(seconds, 3)) s: \(event)") }
      return
    }
    MemoryWatch.useOneArena()
    let failures: [String]
    do {
      failures = try Soak(seed: seed, seconds: seconds).run()
    } catch {
      failures = ["\(error)"]
    }
    for failure in failures { report("FAIL \(failure)") }
    report(failures.isEmpty ? "passed, seed \(seed)" : "failed; again with: Scripts/soak --seconds \(Int(seconds)) --seed \(seed)")
    if !failures.isEmpty { throw ExitCode.failure }
  }
}

/// Prints at once, so that the line is seen before a crash.
func report(_ line: String) { show("soak: \(line)") }
