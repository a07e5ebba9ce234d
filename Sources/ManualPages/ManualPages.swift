import ArgumentParser
import Foundation

/// Makes the manual pages of nearend, and of each of its commands, from what `nearend --experimental-dump-help` prints.
@main
struct ManualPages: ParsableCommand {
  @Option(help: "The program's version, for the pages' feet.")
  var version: String
  @Option(help: "A folder of sections that --help has not: <page>.1.in.")
  var additions: String?
  @Argument(help: "Where the pages go; made where it is not there.")
  var folder: String

  func run() throws {
    let input = try FileHandle.standardInput.readToEnd() ?? Data()
    guard let dump = try? JSONDecoder().decode(HelpDump.self, from: input) else {
      throw ValidationError("Standard input is not what nearend --experimental-dump-help prints.")
    }
    let target = URL(fileURLWithPath: folder)
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    let pages = ManualPage.all(dump.command, version: version) { name in
      additions.flatMap { try? String(contentsOfFile: "\($0)/\(name).1.in", encoding: .utf8) } ?? ""
    }
    for page in pages { try Data(page.text.utf8).write(to: target.appending(path: "\(page.name).1")) }
  }
}
