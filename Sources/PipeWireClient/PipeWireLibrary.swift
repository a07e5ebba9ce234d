internal import CPipeWire

/// The C library.
public enum PipeWireLibrary {
  private static let initialized: Void = pw_init(nil, nil)

  /// Initializes the library, before any other call; every initializer of this module calls it. [any]
  static func initialize() { _ = initialized }

  /// The version of the running libpipewire, "0.3.65". [any]
  public static var version: String { String(cString: pw_get_library_version()) }
}
