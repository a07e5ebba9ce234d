import ArgumentParser
import Foundation
import Platform
import SessionModel
import Tray

struct TrayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tray", abstract: "Show an icon in the desktop's tray: the state of the running nearend, with a menu.",
    discussion: """
      A click mutes and unmutes, a middle click opens the dashboard. Waits where no nearend runs, and where there is no tray. GNOME needs the extension \
      AppIndicator.

      A nearend with the setting tray shows the icon by itself (nearend set tray on, or tray = true in nearend.toml).
      """)

  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "tray")
    let environment = ProcessInfo.processInfo.environment
    let stop = StopRequest.onSignals()
    let follower: TrayFollower
    do throws(SystemError) {
      follower = try TrayFollower(path: socket.nearend.client.path, environment, close: { stop.request() })
    } catch { fail("it cannot start: \(error)", .failure) }
    follower.start()
    stop.wait(seconds: nil)
    StopLimit.begin()
    follower.stop()
    StopLimit.end()
  }
}
