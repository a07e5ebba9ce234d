import TOMLKit

/// Finds the lines of the keys in a TOML text.
///
/// TOMLKit reports the position of a syntax error, but not of a value. So this searches for the shortest prefix of the text that, parsed,
/// has the key: a second parser of TOML might disagree with the first.
struct KeyLines {
  private let lines: [Substring]

  init(_ text: String) { lines = text.split(separator: "\n", omittingEmptySubsequences: false) }

  /// Returns the line of a key, from 1; nil if there is no such key.
  func line(of path: [String]) -> Int? {
    guard holds(path, lines.count) == true else { return nil }
    // `found` lines hold the key, and `lower` lines do not; prefixes between `lower` and `upper` have not been tried yet.
    var (lower, upper, found) = (0, lines.count, lines.count)
    while lower + 1 < upper {
      let middle = (lower + upper) / 2
      // A prefix that ends inside a value does not parse.
      guard let (count, isThere) = (middle..<upper).lazy.compactMap({ count in holds(path, count).map { (count, $0) } }).first else {
        upper = middle
        continue
      }
      if isThere { (found, upper) = (count, middle) } else { lower = count }
    }
    var first = found
    while first > lower + 1, holds(path, first - 1) == nil { first -= 1 }
    return first
  }

  /// Returns whether the first `count` lines hold the key; nil if they are not valid TOML.
  private func holds(_ path: [String], _ count: Int) -> Bool? {
    guard let table = try? TOMLTable(string: lines[..<count].joined(separator: "\n")) else { return nil }
    var current: TOMLTable? = table
    for (index, key) in path.enumerated() {
      guard let value = current?[key] else { return false }
      if index + 1 < path.count { current = value.table }
    }
    return true
  }
}
