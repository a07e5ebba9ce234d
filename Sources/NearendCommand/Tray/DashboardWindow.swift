import Foundation
import Platform

/// A terminal of the desktop that shows the dashboard. [any]
struct DashboardWindow {
  /// The program to run, and its arguments, the first being its own name.
  let file: String
  let arguments: [String]

  /// Why there is none.
  struct Obstacle: Error, Equatable { let words: String }

  /// What runs a command in a new window, in the order of preference, and what comes before the command.
  private static let terminals: [(name: String, arguments: [String])] = [
    ("x-terminal-emulator", ["-e"]), ("ptyxis", ["--"]), ("kgx", ["--"]), ("gnome-terminal", ["--"]), ("konsole", ["-e"]),
    ("xfce4-terminal", ["-x"]), ("mate-terminal", ["-x"]), ("qterminal", ["-e"]), ("lxterminal", ["-e"]), ("foot", []), ("kitty", []),
    ("alacritty", ["-e"]), ("wezterm", ["start", "--"]), ("xterm", ["-e"]),
  ]

  /// Finds the terminal: the desktop's by xdg-terminal-exec, that of `TERMINAL`, Debian's alternative, or one that is there.
  /// - Parameters:
  ///   - nearend: the path of this program.
  ///   - isUnit: whether this process is a service of systemd's. Its windows must not end with it, nor have its limits, and the desktop may
  ///     have begun after it: systemd is asked to run them, in the environment of the desktop.
  ///   - find: returns the path of a program.
  init(
    _ nearend: String, _ environment: [String: String], isUnit: Bool, find: (String) -> String?
  ) throws(Obstacle) {
    guard let (terminal, before) = Self.terminal(environment, find) else { throw Obstacle(words: "no terminal found; set TERMINAL") }
    let command = [terminal] + before + [nearend]
    if isUnit, let runner = find("systemd-run") {
      (file, arguments) = (runner, ["systemd-run", "--user", "--collect", "--quiet", "--"] + command)
      return
    }
    guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0]?.isEmpty == false }) else {
      throw Obstacle(words: "no desktop known here; DISPLAY is not set")
    }
    (file, arguments) = (terminal, command)
  }

  private static func terminal(_ environment: [String: String], _ find: (String) -> String?) -> (file: String, before: [String])? {
    if let file = find("xdg-terminal-exec") { return (file, []) }
    let chosen = environment["TERMINAL"].flatMap { $0.isEmpty ? nil : $0 }
    if let chosen, let file = chosen.hasPrefix("/") ? chosen : find(chosen) {
      let name = chosen.split(separator: "/").last.map(String.init)
      return (file, terminals.first { $0.name == name }?.arguments ?? ["-e"])
    }
    for (name, before) in terminals { if let file = find(name) { return (file, before) } }
    return nil
  }
}

extension DashboardWindow {
  /// That of this process.
  init(_ environment: [String: String]) throws(Obstacle) {
    let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    let isUnit = environment["SYSTEMD_EXEC_PID"] == "\(getpid())"
    try self.init(Self.ownProgram, environment, isUnit: isUnit) { program(named: $0, in: path) }
  }

  /// Why this process can open none; nil if it can.
  static func obstacle(_ environment: [String: String]) -> String? {
    do throws(Obstacle) {
      _ = try DashboardWindow(environment)
      return nil
    } catch { return error.words }
  }

  /// The path of this program.
  static let ownProgram = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "nearend"

  /// Opens it, and says if that fails, at once or later. Does not wait.
  func open(_ environment: [String: String], _ remark: @escaping @Sendable (String) -> Void) {
    let (file, arguments) = (file, arguments)
    startThread(name: "dashboard") {
      do {
        // It is waited for, so that nothing of it remains.
        let process = try spawn(file, arguments, environment: environment, group: 0)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return } }
        if status != 0 { remark("the dashboard's terminal has failed: \(arguments.joined(separator: " "))") }
      } catch { remark("the dashboard cannot be opened: \(file): \(error)") }
    }
  }
}
