import Foundation
import SessionModel

/// The table of all cells as Markdown, with notes.
struct Report {
  var cells: [Cell] = []
  private var notes: [String] = []
  /// Cells that were measured again, because cycles were lost.
  var repeats = 0

  init() {}

  mutating func add(_ cell: Cell) {
    cells.append(cell)
    for why in cell.explained where !notes.contains(why) { notes.append(why) }
  }

  var problems: [String] { cells.flatMap { cell in cell.problems.map { "\(cell.name): \($0)" } } }

  static let columns = [
    "fault", "traffic", "mode", "before", "during", "after", "gap ms, speaker / voice", "filter", "devices", "ring", "ERLE dB", "survived",
  ]
  static var head: String { row(columns) + "\n" + row(columns.map { _ in "---" }) }

  func row(_ cell: Cell) -> String {
    func gap(_ gap: Double?) -> String { gap.map { "\(Int($0.rounded()))" } ?? "n/a" }
    let gaps = cell.traffic == .idle ? "n/a" : "\(gap(cell.renderGap)) / \(gap(cell.captureGap))"
    let echo = cell.echo.map { echo in
      guard let after = echo.after else {
        return "\(decimal(echo.before.erle, 0)) → \(echo.isHeard ? "not measured" : "no echo there")"
      }
      let first = echo.first.map { decimal($0.erle, 0) } ?? "?"
      return "\(decimal(echo.before.erle, 0)) → \(first), \(decimal(after.erle, 0)) (\(decimal(echo.wanted ?? 0, 0)))"
    }
    let marks = cell.explained.compactMap { why in notes.firstIndex(of: why).map { "\($0 + 1)" } }.joined(separator: ", ")
    let verdict = !cell.problems.isEmpty ? "NO" : marks.isEmpty ? "yes" : "yes, see \(marks)"
    return Self.row([
      cell.fault.words, cell.traffic.name, cell.mode.rawValue, cell.states[0], cell.states[1], cell.states[2], gaps, cell.filter,
      cell.devices, cell.lostFrames.map { $0 == 0 ? "kept" : "\($0) frames lost" } ?? "n/a", echo ?? "n/a", verdict,
    ])
  }

  private static func row(_ words: [String]) -> String { "| \(words.joined(separator: " | ")) |" }

  /// Notes, and the longest gaps by their limit.
  var foot: String {
    var lines = notes.enumerated().map { "\($0.offset + 1). \($0.element.prefix(1).uppercased() + $0.element.dropFirst())." }
    if !lines.isEmpty { lines.append("") }
    for limit in Set(cells.map(\.fault.limit)).sorted() {
      let gaps = cells.filter { $0.fault.limit == limit }.flatMap { cell in
        [cell.renderGap, cell.captureGap].compactMap { $0.map { ($0, cell) } }
      }
      guard let longest = gaps.max(by: { $0.0 < $1.0 }) else { continue }
      lines.append("- allowed \(Int(limit * 1_000)) ms, longest \(Int(longest.0.rounded())) ms: \(longest.1.name)")
    }
    if repeats > 0 { lines += ["", "Measured again, because the machine lost cycles meanwhile: \(repeats)."] }
    return lines.joined(separator: "\n")
  }
}
