/// What other processes, files and people say, as it may be shown: one line of bounded length in which no terminal finds anything to obey.
extension String {
  /// Unicode scalars of a name that are kept.
  public static var longestName: Int { 256 }
  /// Unicode scalars of a remark or a reason that are kept.
  public static var longestRemark: Int { 2_048 }

  /// The text with each control, bidirectional and line-breaking character replaced by U+FFFD. More than `limit` scalars end in an ellipsis. [any]
  public func printable(atMost limit: Int = String.longestName) -> String {
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

  /// The same for each line of a text of several. [any]
  public func printableLines(atMost limit: Int = String.longestRemark) -> String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable(atMost: limit) }.joined(separator: "\n")
  }
}

extension Unicode.Scalar {
  /// False of what acts instead of being shown: control characters of both sets, direction marks and overrides, tags, line and paragraph separators.
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
    // Joiners shape letters and emoji, and do nothing else.
    case .format: self == "\u{200C}" || self == "\u{200D}"
    default: true
    }
  }
}
