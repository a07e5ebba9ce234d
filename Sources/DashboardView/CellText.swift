/// Converts text to cells: without control characters or direction overrides, and with widths of 1 or 2 only.
///
/// Names of devices and ids of sinks come from other programs; whatever they contain, the columns stay aligned.
struct CellText {
  /// One printable character and its width in columns.
  struct Glyph {
    var scalar: Unicode.Scalar
    var mark: Unicode.Scalar
    var width: Int
  }

  private var scalars: String.UnicodeScalarView.Iterator
  private let set: GlyphSet
  private var pending: Glyph?

  init(_ text: String, set: GlyphSet) {
    scalars = text.unicodeScalars.makeIterator()
    self.set = set
  }

  /// Returns the next character with its first combining mark.
  mutating func next() -> Glyph? {
    var glyph = pending
    pending = nil
    while let scalar = scalars.next() {
      switch Self.kind(of: scalar) {
      case .nothing: continue
      case .mark:
        if set == .unicode, glyph?.mark.value == 0 { glyph?.mark = scalar }
      case .columns(let width):
        let found = Self.shown(scalar, width: width, set: set)
        guard glyph == nil else {
          pending = found
          return glyph
        }
        glyph = found
      }
    }
    return glyph
  }

  /// Columns that the text takes, counted up to `limit`.
  static func width(of text: String, set: GlyphSet, limit: Int = .max) -> Int {
    var text = CellText(text, set: set)
    var width = 0
    while width < limit, let glyph = text.next() { width += glyph.width }
    return width
  }

  /// Wraps the text at spaces, if any, into lines of at most `width` columns.
  static func wrap(_ text: String, width: Int, set: GlyphSet) -> [String] {
    var lines: [String] = []
    var line = String.UnicodeScalarView()
    var columns = 0
    var afterSpace: (index: String.UnicodeScalarView.Index, columns: Int)?
    var text = CellText(text, set: set)
    while let glyph = text.next() {
      if columns + glyph.width > width, !line.isEmpty {
        let cut = afterSpace?.index ?? line.endIndex
        lines.append(String(line[..<cut]))
        columns -= afterSpace?.columns ?? columns
        line = String.UnicodeScalarView(line[cut...])
        afterSpace = nil
      }
      line.append(glyph.scalar)
      if glyph.mark.value != 0 { line.append(glyph.mark) }
      columns += glyph.width
      if glyph.scalar == " " { afterSpace = (line.endIndex, columns) }
    }
    lines.append(String(line))
    return lines
  }

  private enum Kind {
    case nothing, mark
    case columns(Int)
  }

  private static func kind(of scalar: Unicode.Scalar) -> Kind {
    let value = scalar.value
    if value >= 0x20, value < 0x7f { return .columns(1) }
    if value == 0x09 || value == 0x0a || value == 0x0d { return .columns(1) }
    if value < 0xa0 { return .nothing }
    if value < 0x300 { return value == 0xad ? .nothing : .columns(1) }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: return .nothing
    case .nonspacingMark, .enclosingMark: return .mark
    default: break
    }
    // Vowels and finals of decomposed Hangul syllables join the character before them.
    if (0x1160...0x11ff).contains(value) || (0xd7b0...0xd7ff).contains(value) { return .mark }
    return .columns(isWide(scalar) ? 2 : 1)
  }

  /// East Asian Width W or F (Unicode Standard Annex 11), by block.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0xa4cf,
      0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60,
      0xffe0...0xffe6, 0x16fe0...0x18d08, 0x1aff0...0x1b2ff, 0x20000...0x3fffd:
      true
    case 0x231a...0x2b55, 0x1f000...0x1faff:
      scalar.properties.isEmojiPresentation && !(0x1f1e6...0x1f1ff).contains(scalar.value)
    default: false
    }
  }

  private static func shown(_ scalar: Unicode.Scalar, width: Int, set: GlyphSet) -> Glyph {
    let value = scalar.value
    if value < 0x20 { return Glyph(scalar: " ", mark: "\0", width: 1) }
    if value < 0x7f { return Glyph(scalar: scalar, mark: "\0", width: width) }
    switch scalar.properties.generalCategory {
    case .privateUse, .unassigned: return Glyph(scalar: "?", mark: "\0", width: 1)
    default: break
    }
    let isShown =
      switch set {
      case .unicode: true
      case .compat: value <= 0xff || drawing.contains(value)
      case .ascii: false
      }
    return isShown
      ? Glyph(scalar: scalar, mark: "\0", width: width)
      : Glyph(scalar: plainSpelling[value] ?? "?", mark: "\0", width: 1)
  }

  /// Characters of code page 437 beyond Latin-1 that the dashboard uses.
  private static let drawing: Set<UInt32> = [0x2500, 0x2502, 0x2192, 0x2190, 0x25ba, 0x2022, 0x2588, 0x258c]

  /// ASCII replacements of common typographic characters.
  private static let plainSpelling: [UInt32: Unicode.Scalar] = [
    0xa0: " ", 0xab: "<", 0xb1: "~", 0xb5: "u", 0xb7: ".", 0xbb: ">", 0xd7: "x", 0x2010: "-", 0x2011: "-", 0x2012: "-",
    0x2013: "-", 0x2014: "-", 0x2018: "'", 0x2019: "'", 0x201c: "\"", 0x201d: "\"", 0x2022: "*", 0x2026: "~", 0x2190: "<",
    0x2192: ">", 0x2212: "-", 0x2248: "~",
  ]
}
