/// nearend.toml(5), made from the installed, commented example. [any]
struct ConfigurationPage {
  let text: String

  /// - Parameters:
  ///   - example: headings between lines, words after "# ", values and remarks after "#   ", defaults after "#".
  ///   - opening: name and description in man(7)'s language.
  init(example: String, version: String, opening: String) {
    var lines = [
      "." + #"\""# + " Made from the example configuration.",
      ".TH NEAREND.TOML 5 \"\" \"nearend \(version)\" \"File Formats\"", ".nh", ".ad l",
    ]
    lines += opening.split(separator: "\n").map(String.init)
    // The text before the first heading is for people who edit the file.
    var isBefore = true
    var words: [String] = []
    var remarks: [String] = []
    for line in example.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("# ──") {
        lines += Self.paragraphs(words)
        (words, remarks, isBefore) = ([], [], false)
        lines.append(Roff.section(line.drop { "# ─".contains($0) }.prefix { $0 != "─" }.split(separator: " ").joined(separator: " ")))
      } else if isBefore {
        continue
      } else if line.hasPrefix("#     ") || line == "#" {
        words.append(String(line.dropFirst()))
      } else if line.hasPrefix("#   ") {
        remarks.append(String(line.dropFirst(4)))
      } else if line.hasPrefix("# ") {
        words.append(String(line.dropFirst(2)))
      } else if line.hasPrefix("#"), let end = line.firstRange(of: " = ") {
        remarks.append("default: \(line[end.upperBound...])")
        let description = "\(words.joined(separator: " ")) (\(remarks.joined(separator: "; ")))"
        lines += [".TP", Roff.bold(line[line.index(after: line.startIndex)..<end.lowerBound]), Roff.text(description)]
        (words, remarks) = ([], [])
      }
    }
    lines += Self.paragraphs(words)
    lines += [Roff.section("See also"), "\(Roff.bold("nearend"))(1),", "\(Roff.bold("nearend-config"))(1)"]
    text = lines.joined(separator: "\n") + "\n"
  }

  private static func paragraphs(_ words: [String]) -> [String] {
    Roff.paragraphs(words.drop(while: \.isEmpty).joined(separator: "\n"))
  }
}
