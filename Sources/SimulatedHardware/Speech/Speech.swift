import Foundation
internal import Glibc

/// Synthesised speech: mono, at −24 dBFS active level (ITU-T P.56), repeated endlessly. [any]
package struct Speech: Sendable {
  /// Frames per second.
  package let rate: Int
  /// The samples, full scale ±1.
  package let samples: [Float]

  /// The level of talkers, dBFS.
  package static let level = -24.0

  /// Makes a voice's speech at `rate`, synthesised unless `cache` has it.
  /// - Parameter cache: a folder; nil for `$XDG_CACHE_HOME/nearend` (or `~/.cache/nearend`).
  /// - Throws: `SessionError`: `missingProgram` names the synthesiser's package.
  package init(_ voice: Voice, rate: Int, cache: String? = nil) throws {
    let file = try Self.file(of: voice, cache: cache ?? Self.defaultCache)
    let samples = try SoundFile(path: file).samples(at: rate)
    guard let level = Measures.activeLevel(samples, rate: rate) else {
      throw SessionError(
        .programFailed, "espeak-ng says nothing with the voice '\(voice.name)'", remedy: "remove \(file)")
    }
    let gain = Float(pow(10, (Self.level - level) / 20))
    self.init(rate: rate, samples: samples.map { $0 * gain })
  }

  /// Uses any signal unchanged.
  package init(rate: Int, samples: [Float]) {
    self.rate = rate
    self.samples = samples
  }

  /// Synthesises the voices that `cache` lacks, so that no process with the same cache needs a synthesiser.
  /// - Throws: `SessionError`: `missingProgram` names the synthesiser's package.
  package static func synthesise(_ voices: [Voice], cache: String = defaultCache) throws {
    for voice in voices { _ = try file(of: voice, cache: cache) }
  }

  /// The folder of synthesised speech: `$XDG_CACHE_HOME/nearend` or `~/.cache/nearend`; below `/tmp` without a home directory.
  package static var defaultCache: String {
    let environment = ProcessInfo.processInfo.environment
    let folder = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(environment["HOME"] ?? "/tmp")/.cache"
    return "\(folder)/nearend"
  }

  /// Returns the path of the synthesiser's output file, which is made if the cache has none.
  static func file(of voice: Voice, cache: String) throws -> String {
    let file = "\(cache)/espeak-ng-\(voice.name)-\(String(checksum(voice.text), radix: 16)).wav"
    if access(file, R_OK) == 0 { return file }
    do {
      try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
    } catch { throw SessionError(.system, "making \(cache): \(error)") }
    // Another process may make the same file: each writes a file of its own, and the last rename wins.
    let draft = "\(file).\(getpid())-\(UInt32.random(in: .min ... .max))"
    defer { unlink(draft) }
    let arguments = ["-v", voice.name, "-w", draft, "--", voice.text]
    // Without a folder of the login session, its PulseAudio library makes one in /tmp, and leaves it.
    let runtime = "\(draft)-pulse"
    defer { try? FileManager.default.removeItem(atPath: runtime) }
    let environment = ProcessInfo.processInfo.environment.merging(["PULSE_RUNTIME_PATH": runtime]) { $1 }
    let process = try ChildProcess("espeak-ng", arguments, environment: environment, group: 0)
    guard process.wait(timeout: 60) == .status(0), rename(draft, file) == 0 else {
      let exit = process.end(grace: 0)
      throw SessionError(
        .programFailed, "espeak-ng made no speech with the voice '\(voice.name)' (\(exit))",
        remedy: "try 'espeak-ng \(arguments.prefix(2).joined(separator: " "))' by hand")
    }
    return file
  }

  /// FNV-1a.
  private static func checksum(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }
}
