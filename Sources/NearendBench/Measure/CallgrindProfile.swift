/// What valgrind's callgrind counted in a run, by function: a graph whose edges are the places in the code that call.
struct CallgrindProfile {
  /// A place in the code that calls a function.
  struct Site: Hashable {
    let caller: String
    let callee: String
    /// The address of the call if instructions were dumped, otherwise its line.
    let address: Int
  }

  struct Calls: Equatable {
    var count = 0
    /// Instructions of the callee, including those of the functions that it calls.
    var instructions = 0
  }

  /// Instructions by symbol, excluding those of the functions that it calls.
  private(set) var own: [String: Int] = [:]
  private(set) var calls: [Site: Calls] = [:]

  /// Reads callgrind's format, version 1.
  init(_ text: String) throws {
    var names: [Substring: String] = [:]
    var function = "", callee = "", address = 0, cost = 1
    var pending: Int?

    // "(12) name" defines a number, "(12)" uses it.
    func name(_ text: Substring) -> String {
      guard text.hasPrefix("("), let end = text.firstIndex(of: ")") else { return String(text) }
      let rest = text[text.index(after: end)...]
      if !rest.isEmpty { names[text[...end]] = String(rest.drop { $0 == " " }) }
      return names[text[...end]] ?? String(text)
    }
    for line in text.split(separator: "\n") {
      if line.hasPrefix("fn=") {
        function = name(line.dropFirst(3))
      } else if line.hasPrefix("cfn=") {
        callee = name(line.dropFirst(4))
      } else if line.hasPrefix("calls=") {
        pending = Int(line.dropFirst(6).prefix { $0 != " " })
      } else if line.hasPrefix("positions:") {
        cost = line.split(separator: " ").count - 1
      } else if let first = line.first, "0123456789+-*".contains(first) {
        let fields = line.split(separator: " ")
        address = Self.position(fields[0], after: address)
        let instructions = fields.count > cost ? Int(fields[cost]) ?? 0 : 0
        if let count = pending {
          let site = Site(caller: function, callee: callee, address: address)
          calls[site, default: Calls()].count += count
          calls[site, default: Calls()].instructions += instructions
          pending = nil
        } else {
          own[function, default: 0] += instructions
        }
      }
    }
    guard !own.isEmpty else { throw BenchError("callgrind named no function") }
  }

  /// Reads "0x12ab" or "12", and relative to the last position "+3", "-0x3" or "*".
  private static func position(_ text: Substring, after last: Int) -> Int {
    func number(_ text: Substring) -> Int { (text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)) ?? 0 }
    return switch text.first {
    case "*": last
    case "+": last + number(text.dropFirst())
    case "-": last - number(text.dropFirst())
    default: number(text)
    }
  }

  /// Returns what this run counted beyond a shorter one of the same program.
  func subtracting(_ shorter: CallgrindProfile) -> CallgrindProfile {
    var difference = self
    for (symbol, count) in shorter.own { difference.own[symbol, default: 0] -= count }
    for (site, calls) in shorter.calls {
      difference.calls[site, default: Calls()].count -= calls.count
      difference.calls[site, default: Calls()].instructions -= calls.instructions
    }
    return difference
  }

  /// Returns the calls of a function from callers whose symbols begin with `caller`.
  func calls(of callee: String, from caller: String = "") -> Calls {
    calls.filter { $0.key.callee == callee && $0.key.caller.hasPrefix(caller) }.values
      .reduce(into: Calls()) {
        $0.count += $1.count
        $0.instructions += $1.instructions
      }
  }

  /// Divides the instructions of `root` and of everything that it calls among stages; the sum is the root's whole cost.
  ///
  /// What a function itself executes counts for the stage that the calls on the way to it name last. A function that several stages call is
  /// divided by what their calls cost, including what it calls: exact where their calls are alike, or where it calls nothing.
  ///
  /// - Parameter stage: names the stage that a call enters, given all calls of the same caller; nil if it stays in the caller's.
  func divide(below root: String, first: String, stage: (Site) -> String?) -> [String: Double] {
    let outgoing = Dictionary(grouping: calls.keys.filter { calls[$0]!.instructions > 0 }, by: \.caller)
    // What reaches each function from the root, by stage.
    var reaching: [String: [String: Double]] = [:]
    func whole(_ function: String) -> Double {
      Double((own[function] ?? 0) + (outgoing[function] ?? []).reduce(0) { $0 + calls[$1]!.instructions })
    }
    reaching[root] = [first: whole(root)]
    var costs: [String: Double] = [:]
    for function in Self.order(from: root, outgoing) {
      let stages = reaching[function] ?? [:], all = whole(function)
      if all <= 0 { continue }
      for (name, cost) in stages {
        let share = cost / all
        costs[name, default: 0] += share * Double(own[function] ?? 0)
        for site in outgoing[function] ?? [] {
          reaching[site.callee, default: [:]][stage(site) ?? name, default: 0] += share * Double(calls[site]!.instructions)
        }
      }
    }
    return costs
  }

  /// Returns the functions that `root` reaches, each after all of its callers; calls that close a circle are left out.
  private static func order(from root: String, _ outgoing: [String: [Site]]) -> [String] {
    var finished: [String] = []
    var seen: Set<String> = []
    func visit(_ function: String) {
      guard seen.insert(function).inserted else { return }
      for site in outgoing[function] ?? [] { visit(site.callee) }
      finished.append(function)
    }
    visit(root)
    return finished.reversed()
  }
}
