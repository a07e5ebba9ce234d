import Platform

/// The programs of the simulation, with the Debian package of each.
enum Program {
  private static let packages = [
    "dbus-daemon": "dbus-daemon", "pipewire": "pipewire-bin", "wireplumber": "wireplumber", "pipewire-pulse": "pipewire-pulse",
    "pactl": "pulseaudio-utils", "parec": "pulseaudio-utils", "paplay": "pulseaudio-utils", "espeak-ng": "espeak-ng",
    "wpctl": "wireplumber", "sh": "dash", "setsid": "util-linux", "pkg-config": "pkgconf",
  ]

  /// Finds the file of a program in `path`, a list of folders like `PATH`.
  /// - Throws: `SessionError` with code `missingProgram`, which names the Debian package.
  static func find(_ name: String, path: String) throws -> String {
    if name.contains("/" as Character) { return name }
    if let file = program(named: name, in: path) { return file }
    let package = packages[name] ?? (name.hasPrefix("pw-") ? "pipewire-bin" : nil)
    throw SessionError(
      .missingProgram, "the program '\(name)' is not installed, or not in PATH",
      remedy: package.map { "on Debian: apt install \($0)" } ?? "install it, or correct PATH")
  }
}
