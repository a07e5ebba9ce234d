import Border
import Foundation
import Platform
import SessionModel

/// The folder `presets` beside nearend.toml, with a file `NAME.toml` for each saved preset. [any]
package struct PresetFolder: Sendable {
  /// What the folder holds.
  package struct Contents: Sendable, Equatable {
    /// Sorted by name.
    package var presets: [Preset] = []
    /// What is wrong, with its place, by the name of the file.
    package var faults: [String: String] = [:]

    package init() {}
  }

  package let path: String

  /// The most presets that are read.
  static let most = 100
  private static let suffix = ".toml"

  /// - Parameter configuration: nearend.toml's path.
  package init(beside configuration: String) {
    path = URL(fileURLWithPath: configuration).deletingLastPathComponent().appendingPathComponent("presets").path
  }

  package func file(_ name: String) -> String { "\(path)/\(name)\(Self.suffix)" }

  /// The files of presets, by name; of names that are the same text, one.
  var files: [String: String] {
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
      .filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }
    return Dictionary(names.prefix(Self.most).map { ($0, file($0)) }) { first, _ in first }
  }

  /// Reads every preset. A wrong one costs no other.
  package func read() -> Contents {
    var contents = Contents()
    for (name, path) in files.sorted(by: { $0.key < $1.key }) {
      if let problem = IdRule.problem(name) {
        contents.faults[name.printable()] = "\(path): invalid preset name '\(name)': \(problem)"
        continue
      }
      do throws(ConfigurationError) { contents.presets.append(try Preset(name: name, path: path)) } catch {
        contents.faults[name] = error.lines.prefix(3).joined(separator: "; ")
      }
    }
    return contents
  }

  /// Writes a preset, in place of an earlier one. Returns the path.
  func write(_ name: String, _ values: [(setting: Setting, value: EventValue)]) throws -> String {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let path = file(name)
    func lines(_ values: [(setting: Setting, value: EventValue)]) -> [String] {
      values.map { "\($0.setting.rawValue) = \($0.value.inTOML)" }
    }
    let (standard, other) = (values.filter { $0.setting.standard == $0.value }, values.filter { $0.setting.standard != $0.value })
    var text = ["# The preset \(name) of nearend. A line that is left out leaves its setting as it is."] + lines(other)
    if !standard.isEmpty { text += ["", "# As by default:"] + lines(standard) }
    let new = "\(path).new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError.last }
    do {
      defer { close(descriptor) }
      try Platform.write((text.joined(separator: "\n") + "\n").utf8, to: descriptor)
      guard fsync(descriptor) == 0 else { throw SystemError.last }
    }
    guard rename(new, path) == 0 else { throw SystemError.last }
    return path
  }

  /// Removes a preset's file.
  package func remove(_ name: String) throws(SystemError) {
    guard unlink(file(name)) == 0 else { throw SystemError.last }
  }
}
