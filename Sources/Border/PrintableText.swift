/// Makes text from other processes, files and people safe to display: one line of bounded length without anything that a terminal would
/// obey.
extension String {
  /// The number of Unicode scalars of a name that are kept.
  package static var longestName: Int { 256 }
  /// The number of Unicode scalars of a remark or a reason that are kept.
  package static var longestRemark: Int { 2_048 }

  /// Returns the text with each control, bidirectional and line-breaking character replaced by U+FFFD, and shortened to `limit` scalars
  /// with an ellipsis. [any]
  package func printable(atMost limit: Int = String.longestName) -> String {
    if utf8.count <= limit, utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    var text = String.UnicodeScalarView()
    var count = 0
    for scalar in unicodeScalars {
      guard count < limit else {
        text.removeLast()
        text.append("…")
        break
      }
      text.append(scalar.isPrintable ? scalar : "\u{FFFD}")
      count += 1
    }
    return String(text)
  }

  /// The text as markup that shows it as it is: what HTML and Pango obey is written in another way. [any]
  package var asMarkup: String { replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;") }

  /// Returns each line of a multi-line text made printable. [any]
  package func printableLines(atMost limit: Int = String.longestRemark) -> String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable(atMost: limit) }.joined(separator: "\n")
  }
}

extension Unicode.Scalar {
  /// Whether the character is displayed, unlike those that act instead: control characters of both sets, direction marks and overrides,
  /// tags, line and paragraph separators.
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
    // Joiners only shape letters and emoji.
    case .format: self == "\u{200C}" || self == "\u{200D}"
    default: true
    }
  }
}
