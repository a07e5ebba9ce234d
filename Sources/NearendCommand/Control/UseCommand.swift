import ArgumentParser
import Border
import Platform
import SessionModel

struct UseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "use", abstract: "Move programs to nearend's devices, now and whenever they play or record.",
    discussion: """
      NAME is what a program calls itself, its executable, or its node, in any case, or a pattern such as 'zoom*' (with *, ? and […], as in a shell; a [ that is not closed is that character). Without a name, lists the programs that \
      play or record now. No other program is moved. One that somebody moves elsewhere meanwhile stays there. It is the setting usedPrograms, which is \
      remembered.

        nearend use firefox
        nearend use --not firefox
      """)

  @Argument(help: ArgumentHelp("The program's name.", valueName: "name"), completion: .programs)
  var names: [String] = []
  @Flag(name: .customLong("not"), help: "Move them back, and no longer hereafter.")
  var isNot = false
  @Flag(help: "Print the programs that play or record now as JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func validate() throws {
    if isNot, names.isEmpty { throw ValidationError("--not: give the names of programs that 'nearend use' lists.") }
    var used = UsedPrograms()
    for name in names where name.trimmed.isEmpty || !used.add(name.trimmed) {
      throw ValidationError("'\(name.printable())' is no program's name: give each by itself, \(UsedPrograms.possible).")
    }
  }

  func run() throws {
    try parent.refuseOwnOptions(of: "use", butJSON: true)
    if !names.isEmpty { socket.nearend.request("POST", "/use", [isNot ? "remove" : "add": names.map(\.trimmed)]) }
    let route = socket.nearend.get(Snapshot.self, "/status").route
    if json || parent.display.json { return print(try jsonDocument(route.programs).printableLines()) }
    print(Self.lines(route).joined(separator: "\n").printableLines())
  }

  /// What is used, then what plays or records now.
  static func lines(_ route: RouteStatus) -> [String] {
    let used =
      route.usedPrograms.isEmpty ? "no program is moved to nearend's devices" : "used: \(route.usedPrograms.joined(separator: ", "))"
    let programs = route.programs.map { "  \($0.isUsed ? "* " : "  ")\($0.words)" }
    return [used] + (programs.isEmpty ? ["nothing plays or records now; who is used is moved when it does"] : programs)
  }
}
