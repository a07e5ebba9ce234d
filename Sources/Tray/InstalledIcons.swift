import Glibc
import SessionModel

/// The symbolic icons, where they are installed: panels give them their own colour, dark or light.
struct InstalledIcons {
  /// The folder of icon themes that has them; nil for none, and a panel gets pictures.
  let folder: String?

  /// Looks beside the program first, then where icon themes are. In Flatpak's sandbox nowhere: a panel, which runs outside, does not see
  /// the folders of the sandbox.
  /// - Parameter sandbox: a file that is there in the sandbox only.
  init(program: String, _ environment: [String: String], sandbox: String = "/.flatpak-info") {
    guard access(sandbox, F_OK) != 0 else {
      folder = nil
      return
    }
    // ../share of /usr/bin/nearend
    let prefix = program.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
    let home = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { "\($0)/.local/share" }
    let data = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
    let folders = ["\(prefix)/share"] + (home.map { [$0] } ?? []) + data.split(separator: ":").map(String.init)
    folder = folders.filter { $0.hasPrefix("/") }.map { "\($0)/icons" }.first { folder in
      TrayItem.State.allCases.allSatisfy { access("\(folder)/hicolor/symbolic/apps/\(Self.name($0)).svg", R_OK) == 0 }
    }
  }

  static func name(_ state: TrayItem.State) -> String { "nearend-\(state.rawValue)-symbolic" }
}
