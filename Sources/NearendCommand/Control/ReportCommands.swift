import ArgumentParser

struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "Print what happens in a running nearend, one JSON object per line, until one of the two ends.")

  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "events")
    socket.nearend.stream("/events")
  }
}

struct DiagnosticsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diagnostics", abstract: "Print everything that a running nearend knows of its audio, for people.")

  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "diagnostics")
    socket.nearend.show("/diagnostics")
  }
}
