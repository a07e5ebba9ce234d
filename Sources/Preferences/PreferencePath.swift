import Nearend

/// Standard paths of a person's preferences. [any]
package enum PreferencePath {
  /// `$XDG_CONFIG_HOME/nearend/nearend.toml`, or below `~/.config`; nil without a home.
  package static func configuration(_ environment: [String: String]) -> String? {
    if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return "\(folder)/nearend/nearend.toml" }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return "\(home)/.config/nearend/nearend.toml"
  }

  /// `remembered.json` in `StatePath.standard`; nil without a home.
  package static func remembered(_ environment: [String: String]) -> String? {
    StatePath.standard(environment).map { "\($0)/remembered.json" }
  }
}
