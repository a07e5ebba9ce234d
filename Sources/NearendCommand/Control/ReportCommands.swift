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
