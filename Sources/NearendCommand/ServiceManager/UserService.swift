import Border
import Foundation
import Platform

/// nearend's unit of the user's systemd. [any]
struct UserService {
  private static let unit = "nearend.service"
  private let systemctl: String

  /// Ends the process, and says what to do, if there is no user's systemd, or no unit.
  static func found() -> UserService {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    guard let systemctl = program(named: "systemctl", in: path) else {
      fail("there is no systemd here: \(instead)", .unavailable)
    }
    let service = UserService(systemctl: systemctl)
    let manager = service.run("show-environment")
    if manager.status != 0 { fail("the user's systemd does not answer\(manager.reason): \(instead)", .unavailable) }
    if service.run("cat", unit).status != 0 {
      fail(
        "systemd knows no \(unit): install nearend (its package, or make install), then run systemctl --user daemon-reload", .unavailable)
    }
    return service
  }

  private static let instead =
    "let what starts your session, such as an entry in ~/.config/autostart, run nearend --headless --wait"

  /// Enables or disables the unit, and starts or stops it. Ends the process if systemd refuses.
  func change(_ verb: String) {
    let result = run(verb, "--now", Self.unit)
    if result.status != 0 {
      fail("systemd could not \(verb) it\(result.reason); its log: journalctl --user -u nearend", .failure)
    }
  }

  private struct Outcome {
    var status: Int32
    /// ": " and the first line of what was said, if anything.
    var reason: String
  }

  private func run(_ words: String...) -> Outcome {
    do {
      let result = try Platform.run(systemctl, ["systemctl", "--user"] + words, environment: ProcessInfo.processInfo.environment)
      return Outcome(status: result.status, reason: result.errors.split(separator: "\n").first.map { ": " + String($0).printable() } ?? "")
    } catch {
      return Outcome(status: -1, reason: ": \(error)")
    }
  }
}
