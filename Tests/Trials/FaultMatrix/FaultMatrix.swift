import ArgumentParser
import Foundation
import SimulatedHardware

/// Stages every fault × who uses nearend × who activates the session, and measures each on sound. Prints a Markdown table on standard
/// output, and fails if something does not survive without a note that explains it.
struct FaultMatrix: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults", abstract: "Stages faults on a simulated desk, and measures what survives.")

  @Option(help: ArgumentHelp("Only these, separated by commas.", valueName: "names"))
  var faults = Fault.allCases.map(\.rawValue).joined(separator: ",")
  @Option(help: "idle, receive, send, both; separated by commas.")
  var traffic = Traffic.allCases.map(\.rawValue).joined(separator: ",")
  @Option(help: "default, manual, prompt; separated by commas. In the last a call manager activates at once.")
  var modes = Mode.allCases.map(\.rawValue).joined(separator: ",")
  @Flag(help: "Leave out the check that applications' streams stay the same streams.")
  var noIdentity = false

  /// Cells that may be measured again in all, because the machine lost cycles.
  private static let mostRepeats = 20

  func run() throws {
    let (faults, traffics, modes) = (try list(faults, Fault.self), try list(traffic, Traffic.self), try list(modes, Mode.self))
    var report = Report()
    var problems: [String] = []
    let begin = monotonicSeconds()
    say(Report.head)
    var session = try Stage.makeSession()
    for mode in modes {
      for traffic in traffics {
        var stage: Stage?
        for fault in faults where mode.has(fault, traffic) {
          do {
            let staged = try stage ?? Stage(session, traffic, mode)
            stage = staged
            var cell = try Cell.run(fault, on: staged)
            while cell.mayRepeat, report.repeats < Self.mostRepeats {
              note("\(cell.name): measured again, because cycles were lost: \(cell.problems.joined(separator: ", "))")
              report.repeats += 1
              cell = try Cell.run(fault, on: staged)
            }
            report.add(cell)
            say(report.row(cell))
            for problem in cell.problems { note("\(cell.name): \(problem)") }
          } catch {
            problems.append("\(fault.rawValue), \(traffic.name), \(mode.rawValue): \(error)")
            note(problems.last ?? "")
            for entry in stage?.now.log.suffix(12) ?? [] { note("  \(entry.message)") }
            // A stuck stage must not make the next one fail.
            stage?.stop()
            stage = nil
            session.end()
            session = try Stage.makeSession()
          }
        }
        stage?.stop()
      }
    }
    if !noIdentity {
      problems += try Identity.problems(in: session, faults, of: .choosing)
      if try Identity.Kind.following.isUnderstood(in: session) {
        session.end()
        session = try Stage.makeSession()
        problems += try Identity.problems(in: session, faults, of: .following)
      } else {
        say("\nStreams following, through a smart filter: not staged, because this WirePlumber understands none; 0.5 does.")
      }
    }
    session.end()
    say("\n\(report.foot)")
    problems += report.problems
    note("\(report.cells.count) cells in \(Int(monotonicSeconds() - begin)) s")
    for problem in problems { note("FAILED: \(problem)") }
    if !problems.isEmpty { throw ExitCode.failure }
  }

  /// Prints a remark on standard error, apart from the table.
  private func note(_ line: String) { FileHandle.standardError.write(Data("faults: \(line)\n".utf8)) }

  private func list<T: RawRepresentable & CaseIterable>(_ text: String, _ type: T.Type) throws -> [T] where T.RawValue == String {
    try text.split(separator: ",").map { word in
      if let value = T(rawValue: String(word)) { return value }
      throw ValidationError("There is no '\(word)'; there is: \(T.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
  }
}
