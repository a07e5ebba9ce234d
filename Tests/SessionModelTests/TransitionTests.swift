import Testing

@testable import SessionModel

/// Every event in every representative state, against a table written by hand.
@Suite("The session's transitions")
struct TransitionTests {
  struct Cell: Equatable {
    var change: [String] = []
    var effects: [String] = []
  }
  typealias Table = [String: [String: Cell]]

  @Test("L2, L5, L6, S1–S5, I2–I4: each event does to each state what the table says", arguments: Representative.allCases)
  func transitions(_ representative: Representative) throws {
    let table = try Self.read(representative.rawValue.hasPrefix("manual") ? Self.manualMode : Self.defaultMode)
    let rows = try #require(table[representative.rawValue])
    let state = representative.state
    for (name, event) in events {
      let (next, effects) = reduce(state, event)
      let expected = rows[name] ?? Cell()
      #expect(state.change(to: next) == expected.change, "\(name) in \(representative.rawValue)")
      #expect(effects.map(\.words) == expected.effects, "\(name) in \(representative.rawValue)")
    }
  }

  @Test("L2: the table names each representative state once, and only events that there are")
  func tableIsComplete() throws {
    let tables = try [Self.read(Self.defaultMode), Self.read(Self.manualMode)]
    #expect(tables.flatMap(\.keys).sorted() == Representative.allCases.map(\.rawValue).sorted())
    let names = Set(events.map(\.name))
    #expect(names.count == events.count)
    for rows in tables.flatMap(\.values) { #expect(Set(rows.keys).subtracting(names) == []) }
  }

  @Test("L3: programs' media come before applications', each in the order of registration")
  func mediaOrder() {
    var state = Representative.application.state
    for id in ["b", "a"] { state = reduce(state, .registerMedia(id: id, isSend: true, isReceive: false)).state }
    #expect(state.media.map(\.id) == ["b", "a", "parec"])
  }

  /// Reads a table: a state's name on a line of its own, its rows indented below it. "a x / y, b z" means the events "a x", "a y" and "b
  /// z".
  private static func read(_ text: String) throws -> Table {
    var table: Table = [:]
    var state = ""
    for line in text.split(separator: "\n") {
      guard line.hasPrefix(" ") else {
        state = String(line)
        table[state] = [:]
        continue
      }
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.split(separator: " ").map(String.init) }
      let cell = Cell(change: cells.count > 1 ? cells[1] : [], effects: cells.count > 2 ? cells[2] : [])
      for name in names(cells[0].joined(separator: " ")) {
        try #require(table[state]?.updateValue(cell, forKey: name) == nil, "\(name) comes twice in \(state)")
      }
    }
    return table
  }

  private static func names(_ text: String) -> [String] {
    if text == "set *" { return events.map(\.name).filter { $0.hasPrefix("set ") } }
    return text.split(separator: ",").flatMap { group -> [String] in
      let words = group.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2 else { return words }
      let objects = words[1].split(separator: "/", omittingEmptySubsequences: false)
      return objects.map { "\(words[0]) \($0.trimmingPrefix(while: \.isWhitespace))".trimmed }
    }
  }
}

extension String {
  fileprivate var trimmed: String { split(separator: " ").joined(separator: " ") }
}
