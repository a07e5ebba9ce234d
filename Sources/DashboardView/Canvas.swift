/// A frame being drawn. Everything is clipped to its row, its width and the frame.
struct Canvas {
  private(set) var frame: Frame
  let set: GlyphSet
  let glyphs: Glyphs

  init(size: Size, set: GlyphSet) {
    frame = Frame(size: size)
    self.set = set
    glyphs = Glyphs.of(set)
  }

  var width: Int { frame.size.width }
  var height: Int { frame.size.height }

  enum Alignment { case left, right, center }

  /// Writes text and returns the column after it. Text wider than `width` ends in an ellipsis.
  @discardableResult
  mutating func put(
    _ text: String, _ x: Int, _ y: Int, _ style: Style = .plain, width: Int = .max, align: Alignment = .left
  ) -> Int {
    let room = min(width, self.width - x)
    guard room > 0, x >= 0, y >= 0, y < height else { return x }
    let isASCII = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
    let wanted = isASCII ? text.utf8.count : CellText.width(of: text, set: set, limit: room + 1)
    var column = x
    switch align {
    case .left: break
    case .right: column += max(0, room - wanted)
    case .center: column += max(0, (room - wanted) / 2)
    }
    let end = wanted > room ? x + room - 1 : x + room
    column = isASCII ? write(ascii: text, column, y, style, to: end) : write(text, column, y, style, to: end)
    if wanted > room {
      while column < end {
        set(column, y, Cell(" ", style: style))
        column += 1
      }
      set(column, y, Cell(glyphs.ellipsis, style: style))
      column += 1
    }
    return column
  }

  /// Most text by far is ASCII: one byte per column.
  private mutating func write(ascii text: String, _ x: Int, _ y: Int, _ style: Style, to end: Int) -> Int {
    var column = x
    for byte in text.utf8.prefix(max(0, end - x)) {
      set(column, y, Cell(Unicode.Scalar(byte), style: style))
      column += 1
    }
    return column
  }

  private mutating func write(_ text: String, _ x: Int, _ y: Int, _ style: Style, to end: Int) -> Int {
    var column = x
    var text = CellText(text, set: set)
    while let glyph = text.next(), column + glyph.width <= end {
      set(column, y, Cell(glyph.scalar, mark: glyph.mark, style: style))
      if glyph.width == 2 { set(column + 1, y, Cell("\0", style: style)) }
      column += glyph.width
    }
    return column
  }

  /// Fills a whole row with a style.
  mutating func fill(row y: Int, _ style: Style, with scalar: Unicode.Scalar = " ") {
    guard y >= 0, y < height else { return }
    for x in 0..<width { set(x, y, Cell(scalar, style: style)) }
  }

  /// Draws a line across the frame with a heading in it.
  mutating func rule(_ y: Int, _ heading: String = "") {
    fill(row: y, .rule, with: glyphs.horizontal)
    guard !heading.isEmpty else { return }
    put(" \(heading) ", 2, y, .heading, width: width - 4)
  }

  /// Draws a bar of `width` columns, filled to `share` (0–1), with a mark at `mark` (0–1).
  mutating func bar(_ share: Double, _ x: Int, _ y: Int, width: Int, style: Style, mark: Double? = nil) {
    guard width > 0 else { return }
    let share = share.isFinite ? min(max(share, 0), 1) : 0
    let steps = glyphs.barParts.count + 1
    let filled = Int((share * Double(width * steps)).rounded())
    for column in 0..<width {
      let part = filled - column * steps
      if part >= steps {
        set(x + column, y, Cell(glyphs.barFull, style: style))
      } else if part > 0 {
        set(x + column, y, Cell(glyphs.barParts[part - 1], style: style))
      } else {
        set(x + column, y, Cell(glyphs.barEmpty, style: .barEmpty))
      }
    }
    if let mark, mark > 0 {
      set(x + min(width - 1, Int(min(mark, 1) * Double(width))), y, Cell(glyphs.barMark, style: .barMark))
    }
  }

  /// Draws a level meter from −60 to 0 dBFS.
  mutating func meter(_ level: Double, _ x: Int, _ y: Int, width: Int) {
    let style: Style = level >= -3 ? .barHigh : level >= -12 ? .barMiddle : .barLow
    bar((level + 60) / 60, x, y, width: width, style: style)
  }

  /// Draws an area under a curve: a column for each share (0–1) of `rows` rows; nil leaves a gap, and any value is at least a line.
  mutating func area(_ shares: [Double?], _ x: Int, _ y: Int, rows: Int, style: (Double) -> Style) {
    let steps = glyphs.areaParts.count + 1
    for (column, share) in shares.enumerated() {
      guard let share, share.isFinite else { continue }
      let filled = max(1, Int((min(max(share, 0), 1) * Double(rows * steps)).rounded()))
      for row in 0..<rows {
        let part = filled - row * steps
        guard part > 0 else { break }
        let scalar = part >= steps ? glyphs.barFull : glyphs.areaParts[part - 1]
        set(x + column, y + rows - 1 - row, Cell(scalar, style: style(share)))
      }
    }
  }

  /// Draws one cell shaded by `share` (0–1); nothing for 0 and less.
  mutating func shade(_ share: Double, _ x: Int, _ y: Int) {
    guard share.isFinite, share > 0 else { return }
    let index = min(Int(min(share, 1) * Double(glyphs.shades.count)), glyphs.shades.count - 1)
    set(x, y, Cell(glyphs.shades[index], style: index < 2 ? .barLow : index == 2 ? .barMiddle : .barHigh))
  }

  private mutating func set(_ x: Int, _ y: Int, _ cell: Cell) {
    guard x >= 0, x < width, y >= 0, y < height else { return }
    frame.cells[y * width + x] = cell
  }
}
