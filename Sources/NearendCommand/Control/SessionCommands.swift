import ArgumentParser

struct ActivateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate", abstract: "Tell a nearend in manual mode that the call manager has activated the audio session.")

  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "activate")
    socket.nearend.request("POST", "/activate")
  }
}

struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Resume playback that was paused when headphones were unplugged.")

  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "resume")
    socket.nearend.request("POST", "/commands", ["command": "resumeAfterUnplug"])
  }
}

struct DeactivateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deactivate",
    abstract: "Tell a nearend in manual mode that the call manager has deactivated the audio session.",
    discussion: "Discards the audio buffered in the sinks.")

  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "deactivate")
    socket.nearend.request("POST", "/deactivate")
  }
}
