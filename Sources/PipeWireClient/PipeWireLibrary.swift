internal import CPipeWire

/// The C library itself.
public enum PipeWireLibrary {
  private static let initialized: Void = pw_init(nil, nil)

  /// Must run before any other call of this module; every initializer here sees to it. [any]
  static func initialize() { _ = initialized }

  /// The version of the libpipewire that runs, "0.3.65". [any]
  public static var version: String { String(cString: pw_get_library_version()) }
}
