import Foundation

@testable import SimulatedHardware

extension PrivateSession {
  /// Starts a client of the session that loads one of PipeWire's modules, with arguments as in its configuration.
  func spawn(module: String, named name: String, _ arguments: String) throws -> ChildProcess {
    let file = "\(path)/\(name).conf"
    try """
    context.properties = { log.level = 2 }
    context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert  support.* = support/libspa-support }
    context.modules = [
      { name = libpipewire-module-rt  flags = [ ifexists nofail ] }
      { name = libpipewire-module-protocol-native } { name = libpipewire-module-client-node } { name = libpipewire-module-adapter }
      { name = \(module)  args = { \(arguments) } }
    ]

    """.write(toFile: file, atomically: true, encoding: .utf8)
    return try spawn("pipewire", ["-c", file], output: "\(path)/logs/\(name).log")
  }
}
