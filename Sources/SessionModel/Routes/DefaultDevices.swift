/// Makes nearend's devices the system's defaults, and restores the former ones afterwards (R2). A change by others in between takes
/// precedence. [any]
package struct DefaultDevices: Sendable, Equatable {
  /// Whether nearend's devices should be the defaults.
  package private(set) var isWanted: Bool
  /// The former configured defaults, while nearend's devices are the defaults.
  package private(set) var former: [Device.Direction: SessionDefaults.Configured]
  /// Whether nearend has set the defaults in this run: later changes by others stay.
  private var isSet = false
  /// The configured defaults other than nearend's, as last reported, in case another program makes nearend's the default.
  private var lastConfigured: [Device.Direction: String] = [:]

  /// - Parameter former: left behind by an earlier run that crashed.
  package init(isWanted: Bool = false, former: [Device.Direction: SessionDefaults.Configured] = [:]) {
    self.isWanted = isWanted
    self.former = former
  }

  package mutating func want(_ isWanted: Bool) {
    self.isWanted = isWanted
    isSet = false
  }

  /// Observes the defaults, and sets or restores them as wanted.
  mutating func observe(_ defaults: inout SessionDefaults, _ effects: inout [RouteEffect]) {
    guard defaults.isKnown else { return }
    if isWanted { set(&defaults, &effects) } else { restore(&defaults, &effects) }
    for direction in Device.Direction.both {
      let name = defaults.configured[direction]?.name
      if !(name.map(NodeNames.isOurs) ?? false) { lastConfigured[direction] = name }
    }
  }

  /// Returns the names of the configured defaults before nearend's.
  func names(in defaults: SessionDefaults) -> [Device.Direction: String] {
    var names: [Device.Direction: String] = [:]
    for direction in Device.Direction.both {
      let name = defaults.configured[direction]?.name
      names[direction] = (name == NodeNames.device(direction) ? former[direction]?.name : name) ?? lastConfigured[direction]
    }
    return names
  }

  private mutating func set(_ defaults: inout SessionDefaults, _ effects: inout [RouteEffect]) {
    guard !isSet else { return }
    isSet = true
    let others = Device.Direction.both.filter { defaults.configured[$0]?.name != NodeNames.device($0) }
    for direction in others {
      let current = defaults.configured[direction] ?? .none
      former[direction] = current.name.map(NodeNames.isNobody) ?? false ? SessionDefaults.Configured.none : current
    }
    effects.append(.saveDefaults(former))
    for direction in others {
      let name = NodeNames.device(direction)
      defaults.configured[direction] = .init(value: name, name: name)
      effects.append(.configure(direction, .device(name)))
    }
  }

  /// Restores the former state when nearend leaves, whatever is wanted.
  mutating func leave(_ defaults: SessionDefaults, _ effects: inout [RouteEffect]) {
    isSet = false
    var defaults = defaults
    restore(&defaults, &effects)
  }

  private mutating func restore(_ defaults: inout SessionDefaults, _ effects: inout [RouteEffect]) {
    let before = former
    for direction in Device.Direction.both {
      // A session manager that has just started has not reported the default yet.
      guard let former = before[direction], let current = defaults.configured[direction] else { continue }
      self.former[direction] = nil
      guard current.name == NodeNames.device(direction) else { continue }
      guard former.value.isEmpty else {
        defaults.configured[direction] = former
        effects.append(.configure(direction, .value(former.value)))
        continue
      }
      // WirePlumber 0.4 prefers the 16 names configured last, even when none is configured: nearend's would stay the default, and become it
      // at the next start. As many names of no node displace it, and the highest priority decides, as before. WirePlumber 0.5 forgets by
      // itself.
      for number in 1...16 { effects.append(.configure(direction, .device(NodeNames.nobody(number)))) }
      defaults.configured[direction] = nil
      effects.append(.configure(direction, .none))
    }
    if former != before { effects.append(.saveDefaults(former)) }
  }
}

extension NodeNames {
  private static let nobodyPrefix = "nearend.none."

  /// Returns a name that no node has.
  fileprivate static func nobody(_ number: Int) -> String { nobodyPrefix + "\(number)" }
  fileprivate static func isNobody(_ name: String) -> Bool { name.hasPrefix(nobodyPrefix) }
}
