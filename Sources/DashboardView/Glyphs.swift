/// The characters that the terminal can show (U3). [any]
package enum GlyphSet: String, Sendable, CaseIterable {
  /// A UTF-8 terminal with a full font.
  case unicode
  /// Latin-1 and code page 437's line drawing, as in the fonts of the Linux console.
  case compat
  /// ASCII only.
  case ascii
}

/// The dashboard's own symbols in one glyph set.
struct Glyphs: Sendable {
  let horizontal: Unicode.Scalar
  let toRight: Unicode.Scalar
  let toLeft: Unicode.Scalar
  let selected: Unicode.Scalar
  let inUse: Unicode.Scalar
  let ellipsis: Unicode.Scalar
  let barFull: Unicode.Scalar
  /// Fractions of a bar's last column, narrowest first.
  let barParts: [Unicode.Scalar]
  let barEmpty: Unicode.Scalar
  let barMark: Unicode.Scalar
  /// Fractions of a column's height, lowest first; `barFull` is the whole.
  let areaParts: [Unicode.Scalar]
  /// From almost silent to loud.
  let shades: [Unicode.Scalar]
  /// A fault in a curve.
  let fault: String

  static func of(_ set: GlyphSet) -> Glyphs {
    switch set {
    case .unicode: unicode
    case .compat: compat
    case .ascii: ascii
    }
  }

  private static let unicode = Glyphs(
    horizontal: "─", toRight: "→", toLeft: "←", selected: "▶", inUse: "●", ellipsis: "…",
    barFull: "█", barParts: ["▏", "▎", "▍", "▌", "▋", "▊", "▉"], barEmpty: "·", barMark: "┃",
    areaParts: ["▁", "▂", "▃", "▄", "▅", "▆", "▇"], shades: ["░", "▒", "▓", "█"], fault: "×")
  private static let compat = Glyphs(
    horizontal: "─", toRight: "→", toLeft: "←", selected: "►", inUse: "•", ellipsis: "~",
    barFull: "█", barParts: ["▌"], barEmpty: "·", barMark: "│", areaParts: ["▄"], shades: ["░", "▒", "▓", "█"], fault: "x")
  private static let ascii = Glyphs(
    horizontal: "-", toRight: ">", toLeft: "<", selected: ">", inUse: "*", ellipsis: "~",
    barFull: "#", barParts: [], barEmpty: ".", barMark: "|", areaParts: [".", ":"], shades: [".", ":", "*", "#"], fault: "x")
}
