import ArgumentParser
import Foundation
import Platform
import SessionModel
import Tray

/// A lock that the one `nearend tray` of a control socket holds: a second icon would show the same. It ends with its process.
private final class TrayLock {
  private let file: Int32

  /// nil where another process has it. Where no file can be made, nobody has, and nothing is locked.
  init?(beside socket: String) {
    let folder = socket.lastIndex(of: "/").map { String(socket[..<$0]) } ?? "."
    mkdir(folder, 0o700)
    file = open("\(folder)/tray.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if file >= 0, flock(file, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      close(file)
      return nil
    }
  }

  deinit { if file >= 0 { close(file) } }
}

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
    let path = socket.nearend.client.path
    let lock = TrayLock(beside: path)
    if lock == nil { fail("another nearend tray shows the icon of the nearend at \(path): it is in the tray already", .alreadyRunning) }
    let stop = StopRequest.onSignals()
    let follower: TrayFollower
    do throws(SystemError) {
      follower = try TrayFollower(path: path, environment, close: { stop.request() })
    } catch { fail("it cannot start: \(error)", .failure) }
    follower.start()
    stop.wait(seconds: nil)
    StopLimit.begin()
    follower.stop()
    StopLimit.end()
    withExtendedLifetime(lock) {}
  }
}
