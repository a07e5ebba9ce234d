import ArgumentParser
import Foundation

/// Makes the manual pages of nearend and its commands from the output of `nearend --experimental-dump-help`, and that of its configuration
/// from the example.
@main
struct ManualPages: ParsableCommand {
  @Option(help: "The program's version, for the pages' feet.")
  var version: String
  @Option(help: "A folder of sections that --help and the example have not: <page>.in.")
  var additions: String?
  @Option(help: "The example configuration.")
  var configuration: String?
  @Argument(help: "Where the pages go; made where it is not there.")
  var folder: String

  func run() throws {
    let input = try FileHandle.standardInput.readToEnd() ?? Data()
    guard let dump = try? JSONDecoder().decode(HelpDump.self, from: input) else {
      throw ValidationError("Standard input is not what nearend --experimental-dump-help prints.")
    }
    let target = URL(fileURLWithPath: folder)
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    func sections(of page: String) -> String {
      additions.flatMap { try? String(contentsOfFile: "\($0)/\(page).in", encoding: .utf8) } ?? ""
    }
    let pages = ManualPage.all(dump.command, version: version) { sections(of: "\($0).1") }
    for page in pages { try Data(page.text.utf8).write(to: target.appending(path: "\(page.name).1")) }
    guard let configuration else { return }
    let example = try String(contentsOfFile: configuration, encoding: .utf8)
    let page = ConfigurationPage(example: example, version: version, opening: sections(of: "nearend.toml.5"))
    try Data(page.text.utf8).write(to: target.appending(path: "nearend.toml.5"))
  }
}
