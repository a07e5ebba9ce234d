/// Escapes text for man(7), so that nothing in it is read as a request or an escape. [any]
enum Roff {
  /// Escapes one line of text.
  static func text(_ text: some StringProtocol) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      // What is typed is a minus sign, not the hyphen at which a line may end.
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\n": result += " "
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") ? "\\&\(result)" : result
  }

  static func bold(_ text: some StringProtocol) -> String { "\\fB\(Self.text(text))\\fR" }
  static func italic(_ text: some StringProtocol) -> String { "\\fI\(Self.text(text))\\fR" }

  static func section(_ title: some StringProtocol) -> String { ".SH \(text(title).uppercased())" }

  /// Converts paragraphs as in `--help`: lines that begin with blanks stay as they are, and a line in capitals is a heading.
  static func paragraphs(_ text: String) -> [String] {
    var lines: [String] = []
    var isLiteral = false
    func literal(_ isOn: Bool) {
      if isOn != isLiteral { lines += isOn ? [".PP", ".nf"] : [".fi"] }
      isLiteral = isOn
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("  ") {
        literal(true)
        lines.append(Self.text(line))
      } else if line.isEmpty {
        // A literal block may continue after an empty line; the next line decides.
        if !isLiteral { lines.append(".PP") }
      } else {
        let isHeading = line.allSatisfy { $0.isUppercase || $0 == " " }
        if isLiteral, !isHeading { lines += [".fi", ".PP"] }
        if isLiteral, isHeading { lines.append(".fi") }
        isLiteral = false
        lines.append(isHeading ? section(line) : Self.text(line))
      }
    }
    literal(false)
    return lines
  }
}
