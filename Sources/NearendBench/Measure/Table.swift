import Foundation
import Platform

/// A table of results, as Markdown.
struct Table {
  var title: String
  /// The method, for readers without the source.
  var note: String
  var columns: [String]
  var rows: [[String]] = []

  var markdown: String {
    let lines = [columns, columns.map { _ in "---" }] + rows
    return "### \(title)\n\n\(note)\n\n" + lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n") + "\n"
  }
}

/// Prints a result immediately.
func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

/// Prints progress and remarks to standard error, apart from the tables on standard output.
func progress(_ message: String) { FileHandle.standardError.write(Data("bench: \(message)\n".utf8)) }

func number(_ value: Double, _ digits: Int = 1) -> String { fixed(value, digits) }

/// Formats a whole number: "12,345".
func grouped(_ value: Double) -> String {
  var digits = Array(number(value, 0))
  for place in stride(from: digits.count - 3, to: digits.first == "-" ? 1 : 0, by: -3) { digits.insert(",", at: place) }
  return String(digits)
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// Formats a range: "384", or "384–512" if the values differ; "none" without any.
func range(_ values: [Int]) -> String {
  guard let least = values.min(), let most = values.max() else { return "none" }
  return least == most ? "\(least)" : "\(least)–\(most)"
}

enum Machine {
  static var description: String {
    let processors = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let model = processors.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last ?? " unknown"
    return "\(ProcessInfo.processInfo.activeProcessorCount) ×\(model), load average \(load)"
  }

  /// The load average of the last minute: figures from a busy machine are suspect.
  static var load: String {
    let averages = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
    return averages.split(separator: " ").first.map(String.init) ?? "unknown"
  }
}
