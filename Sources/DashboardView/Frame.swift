/// Columns and rows of a terminal. [any]
package struct Size: Equatable, Sendable {
  package var width: Int
  package var height: Int

  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The smallest terminal that holds every page (U3).
  package static let minimum = Size(width: 80, height: 24)
  /// The smallest terminal that holds what a person in a call needs (U6).
  package static let smallest = Size(width: 40, height: 10)

  /// Whether every page fits.
  package var isLargeEnough: Bool { holds(.minimum) }
  /// Whether a frame of `other` fits.
  package func holds(_ other: Size) -> Bool { width >= other.width && height >= other.height }
}

/// The purpose of a cell; the terminal chooses colours and attributes. A style never conveys anything that is not also in words (U3).
package enum Style: UInt8, Sendable, CaseIterable {
  case plain, faint, label, heading, rule
  case title, tab, currentTab
  case good, caution, alarm
  case interruption, muteBanner
  case barLow, barMiddle, barHigh, barEmpty, barMark
  case selection
  case footer, footerKey, notice
}

/// One column of one row.
package struct Cell: Equatable, Sendable {
  /// The character; U+0000 in the second column of a wide one.
  package var scalar: Unicode.Scalar
  /// A combining mark over it, or U+0000. Only one is kept, because stacks of them leave their row.
  package var mark: Unicode.Scalar
  package var style: Style

  package init(_ scalar: Unicode.Scalar = " ", mark: Unicode.Scalar = "\0", style: Style = .plain) {
    self.scalar = scalar
    self.mark = mark
    self.style = style
  }

  /// Whether this is the second column of a wide character.
  package var isContinuation: Bool { scalar.value == 0 }
}

/// One frame of the dashboard: a grid of cells, row by row. [any]
package struct Frame: Equatable, Sendable {
  package let size: Size
  /// `size.width * size.height` cells, the first row first.
  package internal(set) var cells: [Cell]

  init(size: Size) {
    self.size = size
    cells = Array(repeating: Cell(), count: size.width * size.height)
  }

  /// The cells of row `y`, 0 at the top.
  package func row(_ y: Int) -> ArraySlice<Cell> { cells[y * size.width..<(y + 1) * size.width] }

  /// Row `y` as text, without trailing spaces.
  package func text(row y: Int) -> String {
    var text = String.UnicodeScalarView()
    for cell in row(y) where !cell.isContinuation {
      text.append(cell.scalar)
      if cell.mark.value != 0 { text.append(cell.mark) }
    }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  /// Every row as text.
  package var text: String { (0..<size.height).map(text(row:)).joined(separator: "\n") }
}
