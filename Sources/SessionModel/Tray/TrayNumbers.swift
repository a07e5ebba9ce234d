/// The numbers by which a menu's entries are known on the bus: an entry keeps its own for as long as it is there, and no other entry ever
/// has it. [any]
package struct TrayNumbers: Sendable {
  /// What differs from the menu before.
  package enum Change: Sendable, Equatable {
    case none
    /// The same entries, some of which say something else.
    case words([Int32])
    /// Other entries, or another order.
    case layout
  }

  /// The number of what the entries are in.
  package static let root: Int32 = 0

  package private(set) var entries: [TrayEntry] = []
  /// Counts the changes of layout.
  package private(set) var revision: UInt32 = 1
  private var numbers: [String: Int32] = [:]
  private var byNumber: [Int32: TrayEntry] = [:]
  private var last = Self.root

  package init() {}

  package mutating func update(_ entries: [TrayEntry]) -> Change {
    let (former, all) = (self.entries.flatMap(\.all), entries.flatMap(\.all))
    guard entries != self.entries else { return .none }
    let isSameLayout = Self.outline(self.entries) == Self.outline(entries)
    self.entries = entries
    let keys = Set(all.map(\.key))
    numbers = numbers.filter { keys.contains($0.key) }
    for entry in all where numbers[entry.key] == nil {
      last += 1
      numbers[entry.key] = last
    }
    byNumber = Dictionary(all.map { (number(of: $0), $0) }) { first, _ in first }
    guard isSameLayout else {
      revision &+= 1
      return .layout
    }
    return .words(zip(former, all).filter { Self.differs($0.0, $0.1) }.map { number(of: $0.1) })
  }

  /// Whether an entry itself says something else than before, whatever is below it.
  private static func differs(_ former: TrayEntry, _ new: TrayEntry) -> Bool {
    if case (.submenu, .submenu) = (former.kind, new.kind) { former.label != new.label } else { former != new }
  }

  package func number(of entry: TrayEntry) -> Int32 { numbers[entry.key] ?? Self.root }

  /// The entry of this number; nil for the root and for any other number.
  package func entry(_ number: Int32) -> TrayEntry? { byNumber[number] }

  /// The entries in the root or in a submenu; nil for a number that nothing has.
  package func children(of number: Int32) -> [TrayEntry]? { number == Self.root ? entries : byNumber[number]?.children }

  private struct Outline: Equatable {
    let key: String
    let isSeparator: Bool
    let entries: [Outline]
  }

  private static func outline(_ entries: [TrayEntry]) -> [Outline] {
    entries.map { Outline(key: $0.key, isSeparator: $0.kind == .separator, entries: outline($0.children)) }
  }
}
