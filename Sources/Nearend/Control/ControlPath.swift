/// Where the control socket is. [any]
public enum ControlPath {
  /// `$XDG_RUNTIME_DIR/nearend/control.sock`; nil where that is not set.
  public static func standard(_ environment: [String: String]) -> String? {
    guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty else { return nil }
    return "\(folder)/nearend/control.sock"
  }
}
