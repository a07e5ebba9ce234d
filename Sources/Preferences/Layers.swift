import SessionModel

/// The sources of a setting's value at the start, which take precedence in this order: the command line, the configuration (first the rule
/// for the device in use), what was remembered, the default. [any]
package struct Layers: Sendable, Equatable {
  package enum Origin: Sendable, Equatable {
    case commandLine
    /// By a rule of its own, or by the rule's preset.
    case device(pattern: String, line: Int?, preset: String? = nil)
    case configuration(line: Int?)
    case remembered
    /// Remembered, and as the preset has it that was loaded last.
    case preset(String)
    case standard
  }

  package var commandLine: [Setting: EventValue]
  package var configuration: Configuration
  package var remembered: Remembered

  package init(commandLine: [Setting: EventValue] = [:], configuration: Configuration = .init(), remembered: Remembered = .init()) {
    self.commandLine = commandLine
    self.configuration = configuration
    self.remembered = remembered
  }

  /// The settings without duplicates: `echoCancellation` is `echoCanceller` seen as a switch.
  package static let settings = Setting.allCases.filter { $0 != .echoCancellation }

  /// Returns the value in force while devices of these node names are in use, and its origin.
  package func resolved(_ setting: Setting, devices: Set<String> = []) -> (value: EventValue, origin: Origin) {
    if setting.views.count > 1 {
      let (canceller, origin) = resolvedCanceller(devices)
      let word = EventValue.string(canceller.rawValue)
      return (setting == .echoCanceller ? word : .bool(canceller != .off), origin)
    }
    return said(of: setting, devices: devices).first ?? (setting.standard, .standard)
  }

  /// Returns the value of each layer that sets one, in order of precedence.
  private func said(of setting: Setting, devices: Set<String>) -> [(value: EventValue, origin: Origin)] {
    var said: [(EventValue, Origin)] = []
    if let value = commandLine[setting] { said.append((value, .commandLine)) }
    if let (pattern, entry, preset) = configuration.rule(for: setting, devices: devices) {
      said.append((entry.value, .device(pattern: pattern, line: entry.line, preset: preset)))
    }
    if let entry = configuration.settings[setting] { said.append((entry.value, .configuration(line: entry.line))) }
    if let value = remembered[setting] {
      let preset = remembered.preset.flatMap(configuration.preset)
      let isPreset = preset?.settings[setting]?.value.rounded == value.rounded
      said.append((value, isPreset ? .preset(preset?.name ?? "") : .remembered))
    }
    return said
  }

  /// Resolves the canceller. A layer may name the engine, switch it off, or switch it on; on means the engine that the next layer names.
  private func resolvedCanceller(_ devices: Set<String>) -> (EchoCanceller, Origin) {
    let engines = said(of: .echoCanceller, devices: devices)
    let switches = said(of: .echoCancellation, devices: devices)
    var origin: Origin?
    for layer in Origin.ranks {
      // If one layer sets both, the switch says on or off, and the engine which one.
      let engine = engines.first { $0.origin.rank == layer }
      let isOn = switches.first { $0.origin.rank == layer }
      guard let said = engine ?? isOn else { continue }
      if isOn?.value == .bool(false) || (isOn == nil && engine?.value.isOff == true) { if origin == nil { return (.off, said.origin) } }
      origin = origin ?? said.origin
      if let canceller = engine?.value.word(EchoCanceller.self), canceller != .off {
        return (canceller, origin ?? said.origin)
      }
    }
    return (.nearend, origin ?? .standard)
  }
}

extension Layers.Origin {
  fileprivate static let ranks = 0...4

  fileprivate var rank: Int {
    switch self {
    case .commandLine: 0
    case .device: 1
    case .configuration: 2
    case .remembered, .preset: 3
    case .standard: 4
    }
  }

  /// A description for people: "nearend.toml:12".
  package var words: String {
    func place(_ line: Int?) -> String { "nearend.toml" + (line.map { ":\($0)" } ?? "") }
    return switch self {
    case .commandLine: "command line"
    case .device(let pattern, let line, let preset):
      "\(place(line)), device \(pattern.quotedForTOML)" + (preset.map { ", preset \($0)" } ?? "")
    case .configuration(let line): place(line)
    case .remembered: "remembered"
    case .preset(let name): "preset \(name)"
    case .standard: "default"
    }
  }
}

extension EventValue {
  fileprivate var isOff: Bool { self == .bool(false) || self == .string(EchoCanceller.off.rawValue) }
}
