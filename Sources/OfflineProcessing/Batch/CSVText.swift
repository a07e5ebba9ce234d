/// Comma-separated values as in RFC 4180: quotes around cells with commas, quotes or line ends. [any]
enum CSVText {
  struct Row: Equatable {
    /// The line at which it begins, from 1.
    var line: Int
    var cells: [String]
  }

  struct Malformed: Error, Equatable {
    var line: Int
    var reason: String
  }

  /// Reads rows that end in LF or CRLF; empty lines are skipped.
  static func rows(_ bytes: some Collection<UInt8>) throws(Malformed) -> [Row] {
    var rows: [Row] = []
    var (line, begin) = (1, 1)
    var cells: [[UInt8]] = []
    var cell: [UInt8] = []
    // Inside a quoted cell; after its closing quote.
    var (isQuoted, isClosed) = (false, false)

    func text(_ bytes: [UInt8]) throws(Malformed) -> String {
      guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed(line: line, reason: "it is not UTF-8") }
      return text
    }
    func endRow() throws(Malformed) {
      if !cells.isEmpty || !cell.isEmpty || isClosed {
        var texts: [String] = []
        for cell in cells + [cell] { texts.append(try text(cell)) }
        rows.append(Row(line: begin, cells: texts))
      }
      (cells, cell, isClosed) = ([], [], false)
    }

    let quote = UInt8(ascii: "\""), comma = UInt8(ascii: ",")
    var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3)[...] : bytes[...]
    while let byte = rest.popFirst() {
      if byte == 0 { throw Malformed(line: line, reason: "there is a NUL byte: this is no text") }
      if isQuoted {
        if byte == 10 { line += 1 }
        if byte != quote {
          cell.append(byte)
        } else if rest.first == quote {
          cell.append(quote)
          rest.removeFirst()
        } else {
          (isQuoted, isClosed) = (false, true)
        }
        continue
      }
      switch byte {
      case comma:
        cells.append(cell)
        (cell, isClosed) = ([], false)
      case 10:
        try endRow()
        line += 1
        begin = line
      case 13 where rest.first == 10: break
      case _ where isClosed: throw Malformed(line: line, reason: "something follows a closing quote; a quote within a cell is doubled")
      case quote where cell.isEmpty: isQuoted = true
      case quote:
        throw Malformed(line: line, reason: "a quote stands within a cell that does not begin with one; quote the cell and double it")
      default: cell.append(byte)
      }
    }
    if isQuoted { throw Malformed(line: begin, reason: "a quote is never closed") }
    try endRow()
    return rows
  }

  /// One row, with its line end.
  static func row(_ cells: [String]) -> String {
    cells.map { cell in
      guard cell.utf8.contains(where: { $0 == 34 || $0 == 44 || $0 == 10 || $0 == 13 }) else { return cell }
      return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }.joined(separator: ",") + "\n"
  }
}
