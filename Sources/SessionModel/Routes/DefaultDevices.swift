/// Lets programs that choose no device use nearend (R2): as smart filters, or by making nearend's devices the system's defaults and
/// restoring the former ones afterwards. A change by others in between takes precedence. [any]
package struct DefaultDevices: Sendable, Equatable {
  /// What a person wants.
  package private(set) var mode: DefaultDeviceMode
  /// What is in effect: never `auto`.
  package private(set) var effective = DefaultDeviceMode.off
  /// Whether the session manager understands smart filters; nil until it has had the time to say so.
  private var understandsSmart: Bool?
  /// When a session manager that offers no smart filters was first seen, in seconds of a monotonic clock.
  private var unofferedSince: Double?
  /// The former configured defaults, while nearend's devices are the defaults.
  package private(set) var former: [Device.Direction: SessionDefaults.Configured]
  /// Whether nearend has set the defaults in this run: later changes by others stay.
  private var isSet = false
  /// The configured defaults other than nearend's, as last reported, in case another program makes nearend's the default.
  private var lastConfigured: [Device.Direction: String] = [:]

  /// Seconds that a session manager that has just started may take to offer smart filters after the defaults.
  package static let patience = 1.0

  /// - Parameter former: left behind by an earlier run that crashed.
  package init(mode: DefaultDeviceMode = .off, former: [Device.Direction: SessionDefaults.Configured] = [:]) {
    self.mode = mode
    self.former = former
  }

  package mutating func want(_ mode: DefaultDeviceMode) {
    self.mode = mode
    isSet = false
  }

  /// Why what is in effect is not what was asked for, and what happens instead; nil if it is.
  package var reason: String? {
    guard understandsSmart == false else { return nil }
    switch mode {
    case .smart: return Self.misunderstood + ": programs have to choose nearend's devices"
    case .auto: return Self.misunderstood + ": nearend's devices are the session's defaults instead"
    case .off, .on: return nil
    }
  }
  private static let misunderstood = "this session manager understands no smart filters (WirePlumber does from 0.5 on)"

  /// Observes the defaults, and sets or restores them as wanted. Returns the time to observe them again, if there is one.
  mutating func observe(_ defaults: inout SessionDefaults, at time: Double, _ effects: inout [RouteEffect]) -> Double? {
    guard defaults.isKnown else {
      (understandsSmart, unofferedSince) = (nil, nil)
      return nil
    }
    let due = learn(whether: defaults.offersSmartFilters, at: time)
    let (before, obstacle) = (effective, reason)
    effective = effect
    // In this order a program that follows the default stays on nearend's device when one takes over from the other.
    if effective == .smart, before != .smart { effects.append(.beSmart(true)) }
    if effective == .on {
      set(&defaults, &effects)
    } else {
      isSet = false
      restore(&defaults, &effects)
    }
    if effective != .smart, before == .smart { effects.append(.beSmart(false)) }
    if let obstacle, obstacle != told { effects.append(.remark(mode == .smart ? .warning : .info, obstacle)) }
    told = obstacle
    for direction in Device.Direction.both {
      let name = defaults.configured[direction]?.name
      if !(name.map(NodeNames.isOurs) ?? false) { lastConfigured[direction] = name }
    }
    return due
  }
  /// The obstacle that was told last.
  private var told: String?

  private mutating func learn(whether offersSmart: Bool, at time: Double) -> Double? {
    guard !offersSmart else {
      (understandsSmart, unofferedSince) = (true, nil)
      return nil
    }
    let since = unofferedSince ?? time
    unofferedSince = since
    if time >= since + Self.patience { understandsSmart = false }
    return understandsSmart == false || mode == .off || mode == .on ? nil : since + Self.patience
  }

  /// What the mode comes to; while it is unknown whether smart filters are understood, what it was.
  private var effect: DefaultDeviceMode {
    switch (mode, understandsSmart) {
    case (.off, _), (.on, _): mode
    case (_, true?): .smart
    case (.smart, false?): .off
    case (.auto, false?): .on
    case (_, nil): effective
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
