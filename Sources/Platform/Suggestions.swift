/// What somebody may have meant who typed a word that does not exist. [any]
package enum Suggestions {
  private static let most = 4

  /// Returns the candidates that resemble `word`, the likeliest first: they begin with it, or few letters are wrong.
  package static func of(_ word: String, among candidates: [String]) -> [String] {
    let word = word.lowercased()
    guard !word.isEmpty else { return [] }
    // A mistake in three letters.
    let tolerance = max(1, word.count / 3)
    let ranked = candidates.compactMap { candidate -> (rank: Int, name: String)? in
      let name = candidate.lowercased()
      if word.count > 1, name.hasPrefix(word) { return (0, candidate) }
      let distance = distance(word, name)
      return distance <= tolerance ? (distance, candidate) : nil
    }
    return ranked.sorted { ($0.rank, $0.name.count, $0.name) < ($1.rank, $1.name.count, $1.name) }.prefix(most).map(\.name)
  }

  /// " Did you mean 'a' or 'b'?"; empty without a candidate.
  package static func question(_ word: String, among candidates: [String], prefix: String = "") -> String {
    let names = of(word, among: candidates).map { "'\(prefix)\($0)'" }
    guard let last = names.last else { return "" }
    return " Did you mean \(names.count > 1 ? names.dropLast().joined(separator: ", ") + " or " : "")\(last)?"
  }

  /// The number of letters to add, remove, replace, or swap with the next one.
  private static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
