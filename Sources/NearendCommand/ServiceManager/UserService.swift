import Border
import Foundation
import Platform

/// nearend's unit of the user's systemd. [any]
struct UserService {
  private static let unit = "nearend.service"
  private let systemctl: String

  /// Why there is none, and what to do for one that is to start, or in place of ending it.
  struct Missing: Error {
    private let fact, start, end: String

    static func manager(_ fact: String) -> Missing {
      Missing(
        fact: fact, start: "let what starts your session, such as an entry in ~/.config/autostart, run nearend --headless --wait",
        end: "where nearend starts at login, take it out of what starts your session, such as an entry in ~/.config/autostart")
    }
    static let unit = Missing(
      fact: "systemd knows no \(UserService.unit)",
      start: "install nearend (archive, package, or make install), then run systemctl --user daemon-reload",
      end: "it does not start nearend, now or at login")

    var reason: String { "\(fact): \(start)" }
    var reasonForEnd: String { "\(fact): \(end)" }
  }

  /// Ends the process if there is no user's systemd, or no unit, and says what to do to have one started, or ended.
  static func found(toEnd: Bool = false) -> UserService {
    do { return try find() } catch { fail(toEnd ? error.reasonForEnd : error.reason, .unavailable) }
  }

  /// - Throws: if there is no user's systemd, or no unit.
  static func find() throws(Missing) -> UserService {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    guard let systemctl = program(named: "systemctl", in: path) else { throw .manager("there is no systemd here") }
    let service = UserService(systemctl: systemctl)
    let manager = service.run("show-environment")
    if manager.status != 0 { throw .manager("the user's systemd does not answer\(manager.reason)") }
    if service.run("cat", unit).status != 0 { throw .unit }
    return service
  }

  /// Enables or disables the unit, and starts or stops it. Ends the process if systemd refuses.
  func change(_ verb: String) {
    let result = run(verb, "--now", Self.unit)
    if result.status != 0 {
      fail("systemd could not \(verb) it\(result.reason); its log: journalctl --user -u nearend", .failure)
    }
  }

  /// Starts the unit, as long as it is not stopped. Returns why systemd refuses; nil if it does not.
  func start() -> String? {
    let result = run("start", Self.unit)
    return result.status == 0 ? nil : "systemd could not start it\(result.reason); its log: journalctl --user -u nearend"
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
