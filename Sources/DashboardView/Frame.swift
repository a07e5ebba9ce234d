/// Columns and rows of a terminal. [any]
public struct Size: Equatable, Sendable {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The smallest terminal that holds every page (U3).
  public static let minimum = Size(width: 80, height: 24)

  /// Whether every page fits.
  public var isLargeEnough: Bool { width >= Size.minimum.width && height >= Size.minimum.height }
}

/// The purpose of a cell; the terminal chooses colours and attributes. A style never conveys anything that is not also in words (U3).
public enum Style: UInt8, Sendable, CaseIterable {
  case plain, faint, label, heading, rule
  case title, tab, currentTab
  case good, caution, alarm
  case interruption, muteBanner
  case barLow, barMiddle, barHigh, barEmpty, barMark
  case selection
  case footer, footerKey, notice
}

/// One column of one row.
public struct Cell: Equatable, Sendable {
  /// The character; U+0000 in the second column of a wide one.
  public var scalar: Unicode.Scalar
  /// A combining mark over it, or U+0000. Only one is kept, because stacks of them leave their row.
  public var mark: Unicode.Scalar
  public var style: Style

  public init(_ scalar: Unicode.Scalar = " ", mark: Unicode.Scalar = "\0", style: Style = .plain) {
    self.scalar = scalar
    self.mark = mark
    self.style = style
  }

  /// True in the second column of a wide character.
  public var isContinuation: Bool { scalar.value == 0 }
}

/// One frame of the dashboard: a grid of cells, row by row. [any]
public struct Frame: Equatable, Sendable {
  public let size: Size
  /// `size.width * size.height` cells, the first row first.
  public internal(set) var cells: [Cell]

  init(size: Size) {
    self.size = size
    cells = Array(repeating: Cell(), count: size.width * size.height)
  }

  /// The cells of row `y`, 0 at the top.
  public func row(_ y: Int) -> ArraySlice<Cell> { cells[y * size.width..<(y + 1) * size.width] }

  /// Row `y` as text, without trailing spaces.
  public func text(row y: Int) -> String {
    var text = String.UnicodeScalarView()
    for cell in row(y) where !cell.isContinuation {
      text.append(cell.scalar)
      if cell.mark.value != 0 { text.append(cell.mark) }
    }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  /// Every row as text.
  public var text: String { (0..<size.height).map(text(row:)).joined(separator: "\n") }
}
