import ArgumentParser

struct EnableCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Run nearend as a service, from now on and at every login.",
    discussion: "nearend shows the service's dashboard, nearend disable ends it. Where there is no systemd, says what to do instead.")

  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "enable")
    UserService.found().change("enable")
    print("nearend runs as a service, now and after every login. Its dashboard: nearend. Its end: nearend disable.")
  }
}

struct DisableCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "End the service, now and for every later login; settings are kept.")

  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "disable")
    UserService.found(toEnd: true).change("disable")
    print("The service has ended, and does not start at login.")
  }
}
