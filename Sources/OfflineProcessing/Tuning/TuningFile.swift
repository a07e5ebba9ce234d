import Foundation
import Platform
import RealtimeCore

/// Constants of nearend's own canceller, changed for a trial (`nearend process --tuning`): a JSON file with some of them, in the form of
/// `document`, `{"gainTracker": {"least": 1.3}}`. [any]
package enum TuningFile {
  /// A value is at most this many times the standard one, and at least this fraction of it: far beyond, arrays and divisors fail.
  private static let factor = 1_000.0
  /// Larger files are no tuning.
  private static let mostBytes = 1 << 20

  /// All constants, with their standard values: indented, with sorted keys.
  package static var document: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    // Plain numbers and structures of them can be encoded.
    return (try? encoder.encode(Tuning.standard)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// Reads the file at `path`.
  /// - Throws: `OfflineError.input`, which names the file, what is wrong in it, and what is possible.
  package static func read(_ path: String) throws(OfflineError) -> Tuning {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try contents(ofFile: path, atMost: mostBytes) } catch {
      throw .input(file: path, reason: "\(error)")
    }
    return try tuning(Data(bytes), path: path)
  }

  /// Returns the standard tuning with what is in a file.
  static func tuning(_ changes: Data, path: String) throws(OfflineError) -> Tuning {
    guard let changes = try? JSONDecoder().decode(Part.self, from: changes) else { throw .input(file: path, reason: "it is not JSON") }
    guard case .parts(let stages) = changes else {
      throw .input(file: path, reason: "it is not an object of stages, such as {\"gainTracker\": {\"least\": 1.3}}")
    }
    do {
      let standard = try JSONDecoder().decode(Part.self, from: Data(document.utf8))
      let merged = try standard.changed(by: .parts(stages), name: "")
      let tuning = try JSONDecoder().decode(Tuning.self, from: JSONEncoder().encode(merged))
      if let contradiction = tuning.contradiction { throw Problem(reason: contradiction) }
      return tuning
    } catch let problem as Problem {
      throw .input(file: path, reason: problem.reason)
    } catch {
      throw .input(file: path, reason: "it cannot be used: \(error)")
    }
  }

  /// Names of the constants that are whole numbers.
  private static let counts = Set(
    Mirror(reflecting: Tuning.standard).children.flatMap { stage in
      Mirror(reflecting: stage.value).children.filter { $0.value is Int }.map { "\(stage.label ?? "").\($0.label ?? "")" }
    })

  private struct Problem: Error { let reason: String }

  /// A part of a JSON document.
  private enum Part: Codable {
    case number(Double)
    case parts([String: Part])
    /// Anything else.
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let parts = try? container.decode([String: Part].self) {
        self = .parts(parts)
      } else if let number = try? container.decode(Double.self), number.isFinite {
        self = .number(number)
      } else {
        self = .other
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .number(let number): try container.encode(number)
      case .parts(let parts): try container.encode(parts)
      case .other: try container.encodeNil()
      }
    }

    /// Returns this part of the standard with the changes. `name` is its own, of stages and constants with points between them.
    func changed(by changes: Part, name: String) throws(Problem) -> Part {
      switch (self, changes) {
      case (.parts(var parts), .parts(let changes)):
        for (key, change) in changes.sorted(by: { $0.key < $1.key }) {
          guard let part = parts[key] else {
            let place = name.isEmpty ? "stage" : "constant of \(name)"
            throw Problem(reason: "'\(key)' is no \(place); there are: \(parts.keys.sorted().joined(separator: ", "))")
          }
          parts[key] = try part.changed(by: change, name: name.isEmpty ? key : "\(name).\(key)")
        }
        return .parts(parts)
      case (.number(let standard), .number(let number)):
        let low = min(standard / factor, standard * factor), high = max(standard / factor, standard * factor)
        guard (low...high).contains(number) else {
          throw Problem(reason: "\(name): give \(low) to \(high), instead of \(standard); \(number) is absurd")
        }
        if number != number.rounded(), counts.contains(name) {
          throw Problem(reason: "\(name): give a whole number, instead of \(standard); \(number) is none")
        }
        return changes
      case (.number(let standard), _): throw Problem(reason: "\(name): give a number, such as the standard \(standard)")
      default: throw Problem(reason: "\(name): give an object of its constants, such as {\"gainTracker\": {\"least\": 1.3}}")
      }
    }
  }
}
