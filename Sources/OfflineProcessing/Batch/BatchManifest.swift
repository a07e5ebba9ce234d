import Border
import Foundation
import Platform
import SessionModel

/// One row of a manifest. [any]
package struct BatchCase: Sendable, Equatable {
  /// Unique; the voice is `<name>.wav`.
  package var name: String
  /// The row's line in the manifest, from 1.
  package var line: Int
  /// Path of the raw microphone.
  package var microphone: String
  /// Path of the far end's signal; nil is silence.
  package var reference: String?
  /// Both paths as written in the manifest.
  package var written: (microphone: String, reference: String)
  /// All settings that a batch can set.
  package var settings: [Setting: EventValue]

  package static func == (a: Self, b: Self) -> Bool {
    (a.name, a.line, a.microphone, a.reference) == (b.name, b.line, b.microphone, b.reference) && a.written == b.written
      && a.settings == b.settings
  }
}

/// The problems of a manifest, each with its line and column.
package struct BatchManifestError: Error, Equatable, CustomStringConvertible {
  package var problems: [String]
  package var description: String { problems.joined(separator: "\n") }
}

/// The cases of a CSV file, whose first row names its columns. [any]
package struct BatchManifest: Sendable {
  package let path: String
  package let cases: [BatchCase]

  /// The columns for settings, beside `name`, `microphone` and `reference`.
  package static let options: [(column: String, setting: Setting)] = [
    ("aec", .echoCanceller), ("ns", .noiseSuppression), ("agc", .voiceProcessingEnableAGC), ("hpf", .highPassFilter),
    ("mic-mode", .micMode), ("mic-channels", .microphoneChannels), ("gain", .micVolume), ("bypass", .bypassVoiceProcessing),
  ]
  package static var columns: [String] { ["name", "microphone", "reference"] + options.map(\.column) }

  /// In bytes.
  private static let largest = 64 << 20
  private static let mostProblems = 20
  private static let longestName = 120

  /// - Parameter settings: the values of settings that a row does not set.
  /// - Throws: `BatchManifestError`.
  package init(path: String, settings: [Setting: EventValue]) throws(BatchManifestError) {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try contents(ofFile: path, atMost: Self.largest + 1) } catch {
      throw BatchManifestError(problems: ["\(path): \(error)"])
    }
    guard bytes.count <= Self.largest else { throw BatchManifestError(problems: ["\(path): it is larger than 64 MiB; divide it"]) }
    try self.init(bytes, path: path, settings: settings)
  }

  init(_ bytes: [UInt8], path: String, settings: [Setting: EventValue]) throws(BatchManifestError) {
    self.path = path
    let rows: [CSVText.Row]
    do throws(CSVText.Malformed) { rows = try CSVText.rows(bytes) } catch {
      throw BatchManifestError(problems: ["\(path):\(error.line): \(error.reason)"])
    }
    guard let header = rows.first else {
      throw BatchManifestError(problems: ["\(path): it is empty; its first row names the columns: \(Self.columns.joined(separator: ", "))"])
    }
    var reader = RowReader(path: path, header: header, settings: settings)
    for row in rows.dropFirst() where reader.canGoOn { reader.read(row) }
    if rows.count == 1, reader.problems.isEmpty { reader.problems.append("\(path): it has no row beside that of its columns' names") }
    guard reader.problems.isEmpty else { throw BatchManifestError(problems: Array(reader.problems.prefix(Self.mostProblems))) }
    cases = reader.cases
  }

  /// Returns what is wrong with a name that becomes a file name; nil if nothing is.
  static func problem(ofName name: String) -> String? {
    if name.isEmpty { return "it is empty" }
    if name.utf8.count > longestName { return "it is longer than \(longestName) bytes" }
    if name.hasPrefix(".") { return "it begins with a dot" }
    return name.unicodeScalars.contains { $0 == "/" || $0.value < 32 || $0.value == 127 } ? "it has a slash or a control character" : nil
  }
}

private struct RowReader {
  let path: String
  let header: CSVText.Row
  let settings: [Setting: EventValue]
  var problems: [String] = []
  var cases: [BatchCase] = []
  private let folder: String
  private let columns: [String]
  /// The line of each name used so far.
  private var lines: [String: Int] = [:]

  init(path: String, header: CSVText.Row, settings: [Setting: EventValue]) {
    (self.path, self.header, self.settings) = (path, header, settings)
    folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    columns = header.cells.map(\.trimmed)
    for column in columns where !BatchManifest.columns.contains(column) {
      problem(header.line, column, "there is no such column; there are: \(BatchManifest.columns.joined(separator: ", "))")
    }
    for column in Set(columns).sorted() where columns.count(where: { $0 == column }) > 1 {
      problem(header.line, column, "duplicate column")
    }
    if !columns.contains("microphone") {
      problems.append("\(path):\(header.line): there is no column 'microphone', which every manifest has")
    }
  }

  /// Whether the columns are valid, so that rows can be read.
  var canGoOn: Bool {
    columns.allSatisfy(BatchManifest.columns.contains) && Set(columns).count == columns.count && columns.contains("microphone")
  }

  private mutating func problem(_ line: Int, _ column: String, _ text: String) {
    problems.append("\(path):\(line): column '\(column.printable())': \(text)")
  }

  mutating func read(_ row: CSVText.Row) {
    guard row.cells.count == columns.count else {
      return problems.append(
        "\(path):\(row.line): it has \(row.cells.count) cells, and \(columns.count) columns are named: \(columns.joined(separator: ", "))")
    }
    let cells = Dictionary(uniqueKeysWithValues: zip(columns, row.cells.map(\.trimmed)))
    let microphone = cells["microphone"] ?? "", reference = cells["reference"] ?? ""
    if microphone.isEmpty { return problem(row.line, "microphone", "it is empty; give a sound file") }
    let given = cells["name"] ?? ""
    let name = given.isEmpty ? Self.stem(microphone) : given
    if let wrong = BatchManifest.problem(ofName: name) {
      return problem(row.line, "name", "'\(name.printable())' cannot name a file: \(wrong)")
    }
    if let other = lines.updateValue(row.line, forKey: name) {
      problem(row.line, "name", "'\(name.printable())' is the name of line \(other), too; give each row a name of its own")
    }
    var settings = settings
    for (column, setting) in BatchManifest.options {
      guard let text = cells[column], !text.isEmpty else { continue }
      do throws(SettingError) { settings[setting] = try setting.parse(text) } catch {
        problem(row.line, column, "'\(text.printable())' is not possible: give \(setting.possible)")
      }
    }
    cases.append(
      BatchCase(
        name: name, line: row.line, microphone: resolve(microphone), reference: reference.isEmpty ? nil : resolve(reference),
        written: (microphone, reference), settings: settings))
  }

  /// Resolves a path relative to the manifest's folder.
  private func resolve(_ file: String) -> String { file.hasPrefix("/") ? file : folder + file }

  /// Returns the last component, without its extension.
  private static func stem(_ path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return String(file) }
    return String(file[..<dot])
  }
}
