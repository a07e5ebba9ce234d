import SessionModel

/// Draws a chart with characters: bars of eighths, or ASCII.
package struct ChartText: Sendable {
  /// The characters of a bar, from empty to full.
  package enum Glyphs: Sendable {
    case unicode, ascii

    var levels: [Character] {
      switch self {
      case .unicode: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
      case .ascii: [" ", ".", ":", "#"]
      }
    }
    /// From silent to loud.
    var shades: [Character] {
      switch self {
      case .unicode: [" ", "░", "▒", "▓", "█"]
      case .ascii: [" ", ".", ":", "*", "#"]
      }
    }
    var axis: Character { self == .unicode ? "┤" : "|" }
    var base: Character { self == .unicode ? "─" : "-" }
  }

  package var glyphs: Glyphs
  /// Columns per line, 40 or more.
  package var columns: Int
  /// Rows of a line's bars.
  package var rows: Int

  package init(glyphs: Glyphs, columns: Int = 80, rows: Int = 4) {
    self.glyphs = glyphs
    self.columns = max(40, columns)
    self.rows = rows
  }

  private static let label = 6

  /// Returns the lines without line feeds.
  package func lines(of chart: Chart) -> [String] {
    let width = columns - Self.label - 1
    var result: [String] = []
    for panel in chart.panels {
      for line in panel.lines {
        result.append(panel.lines.count > 1 ? "\(panel.title): \(line.name)" : panel.title)
        result += bars(columnValues(line.values, width: width), range: panel.range)
      }
    }
    for spectrogram in chart.spectrograms {
      result.append(spectrogram.title)
      result += shades(spectrogram, width: width)
    }
    let base = String(repeating: glyphs.base, count: width)
    let end = "\(Int(chart.seconds.rounded())) s"
    result.append(String(repeating: " ", count: Self.label + 1) + base)
    result.append(
      String(repeating: " ", count: Self.label + 1) + "0 s" + String(repeating: " ", count: max(1, width - 3 - end.count)) + end)
    return result
  }

  /// The largest value within each column; nil if there is none.
  private func columnValues(_ values: [Double?], width: Int) -> [Double?] {
    (0..<width).map { column in
      let first = column * values.count / width
      let end = max(first + 1, (column + 1) * values.count / width)
      return values.isEmpty ? nil : values[first..<min(end, values.count)].compactMap { $0 }.max()
    }
  }

  /// Draws two rows of a spectrogram for each row of a line's bars; each cell shows the strongest of its bands in the strongest of its
  /// columns.
  private func shades(_ spectrogram: Chart.Spectrogram, width: Int) -> [String] {
    let rows = 2 * self.rows
    let columns = spectrogram.columns
    return (0..<rows).map { row in
      let bands = (rows - 1 - row) * SpectrogramScale.bands / rows..<(rows - row) * SpectrogramScale.bands / rows
      let cells = (0..<width).map { cell -> Character in
        let first = cell * columns.count / width
        let end = max(first + 1, (cell + 1) * columns.count / width)
        guard first < columns.count else { return " " }
        let bytes = columns[first..<min(end, columns.count)].compactMap { $0 }.flatMap { $0[bands.clamped(to: 0..<$0.count)] }
        return glyphs.shades[Int((SpectrogramScale.intensity(bytes.max() ?? 0) * 4).rounded(.up))]
      }
      let text = row == 0 ? "20 kHz" : row == rows - 1 ? "0" : ""
      return String(repeating: " ", count: Self.label - text.count) + text + String(glyphs.axis) + String(cells)
    }.map(Self.trimmed)
  }

  private func bars(_ values: [Double?], range: ClosedRange<Double>) -> [String] {
    let steps = glyphs.levels.count - 1
    let heights = values.map { value -> Int in
      guard let value else { return 0 }
      let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
      return Int((min(max(share, 0), 1) * Double(rows * steps)).rounded())
    }
    return (0..<rows).map { row in
      let floor = (rows - 1 - row) * steps
      let text = row == 0 ? "\(Int(range.upperBound))" : row == rows - 1 ? "\(Int(range.lowerBound))" : ""
      let label = String(repeating: " ", count: Self.label - text.count) + text
      return label + String(glyphs.axis) + String(heights.map { glyphs.levels[min(max($0 - floor, 0), steps)] })
    }.map(Self.trimmed)
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }
}
