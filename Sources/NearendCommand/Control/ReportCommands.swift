import ArgumentParser

struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "Print the events of a running nearend as lines of JSON, until nearend or the reader ends.")

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
