/// The standard folder of what nearend must restore after a crash. [any]
public enum StatePath {
  /// `$XDG_STATE_HOME/nearend`, or below `~/.local/state`; nil without a home.
  public static func standard(_ environment: [String: String]) -> String? {
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") { return "\(folder)/nearend" }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return "\(home)/.local/state/nearend"
  }
}
