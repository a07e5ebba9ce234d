/// The standard folder of nearend's state: what to restore after a crash, and remembered settings. [any]
package enum StatePath {
  /// `$XDG_STATE_HOME/nearend`, or below `~/.local/state`; nil without a home.
  package static func standard(_ environment: [String: String]) -> String? {
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") { return "\(folder)/nearend" }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return "\(home)/.local/state/nearend"
  }
}
