import Foundation
internal import Glibc

/// The location of the plug-in with `simulated.clock`.
enum SimulatedClock {
  static let file = "libSimulatedClock.so"

  /// Returns `SPA_PLUGIN_DIR`: PipeWire's own folder and that of the plug-in, which is built beside the executable.
  static func pluginPath(_ environment: [String: String]) throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let executable = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = URL(fileURLWithPath: executable).deletingLastPathComponent().path
    guard access("\(folder)/\(file)", R_OK) == 0 else {
      throw SessionError(
        .missingProgram, "the clock plugin \(folder)/\(file) is not there",
        remedy: "build it with 'swift build --product SimulatedClock', or choose another clock")
    }
    return "\(try systemPluginFolder(environment)):\(folder)"
  }

  private static func systemPluginFolder(_ environment: [String: String]) throws -> String {
    var environment = environment
    environment["PKG_CONFIG_PATH"] = nil
    let (socket, process) = try ChildSocket.make { childs in
      try ChildProcess(
        "pkg-config", ["--variable=plugindir", "libspa-0.2"], environment: environment, group: 0, output: .descriptor(childs))
    }
    var folder = ""
    socket.lines { folder = String(decoding: $0, as: UTF8.self) }
    guard process.wait(timeout: 5) == .status(0), !folder.isEmpty else {
      throw SessionError(.programFailed, "pkg-config does not know libspa-0.2", remedy: "on Debian: apt install libspa-0.2-dev")
    }
    return folder
  }
}
