/// The standard location of the control socket. [any]
public enum ControlPath {
  /// `$XDG_RUNTIME_DIR/nearend/control.sock`; nil if the variable is not set.
  public static func standard(_ environment: [String: String]) -> String? {
    guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty else { return nil }
    return "\(folder)/nearend/control.sock"
  }
}
