internal import Glibc

/// The programs that the simulation runs, and the Debian package that brings each.
enum Program {
  private static let packages = [
    "dbus-daemon": "dbus-daemon", "pipewire": "pipewire-bin", "wireplumber": "wireplumber", "pipewire-pulse": "pipewire-pulse",
    "pactl": "pulseaudio-utils", "parec": "pulseaudio-utils", "paplay": "pulseaudio-utils", "espeak-ng": "espeak-ng",
    "wpctl": "wireplumber", "sh": "dash", "setsid": "util-linux", "pkg-config": "pkgconf",
  ]

  /// The file that `name` stands for in `path`, a list of folders as in `PATH`.
  /// - Throws: `SessionError` with code `missingProgram`, which names the Debian package.
  static func find(_ name: String, path: String) throws -> String {
    if name.contains("/" as Character) { return name }
    for folder in path.split(separator: ":") {
      let file = "\(folder)/\(name)"
      if access(file, X_OK) == 0 { return file }
    }
    let package = packages[name] ?? (name.hasPrefix("pw-") ? "pipewire-bin" : nil)
    throw SessionError(
      .missingProgram, "the program '\(name)' is not installed, or not in PATH",
      remedy: package.map { "on Debian: apt install \($0)" } ?? "install it, or correct PATH")
  }
}
