import ArgumentParser

struct ActivateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate", abstract: "Tell a nearend in manual mode that the call manager has activated the audio session.")

  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "activate")
    socket.nearend.ask("POST", "/activate")
  }
}

struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Play on, in the room, what was paused when headphones were pulled out.")

  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "resume")
    socket.nearend.ask("POST", "/commands", ["command": "resumeAfterUnplug"])
  }
}

struct DeactivateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deactivate",
    abstract: "Tell a nearend in manual mode that the call manager has deactivated the audio session.",
    discussion: "What the sinks have buffered is thrown away.")

  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "deactivate")
    socket.nearend.ask("POST", "/deactivate")
  }
}
