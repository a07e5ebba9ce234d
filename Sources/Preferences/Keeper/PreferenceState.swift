import SessionModel

/// How people want a running nearend, and what follows when a file, the devices in use or a value changes. Pure. [any]
struct PreferenceState: Sendable {
  private(set) var layers: Layers
  /// Node names of the devices in use.
  private(set) var devices: Set<String> = []
  /// Run-time changes, by the device rule in force at the time ("" for none); they take precedence while it is in force.
  private var changes: [Setting: [String: EventValue]] = [:]
  /// The last known value of each setting; a different one means that somebody has changed it.
  private(set) var seen: [Setting: EventValue] = [:]
  private(set) var participants = ParticipantMixes()

  /// - Parameter layers: the values that nearend started with.
  init(layers: Layers) { self.layers = layers }

  mutating func handle(_ event: PreferenceEvent) -> [PreferenceEffect] {
    switch event {
    case .started(let values, let devices):
      self.devices = devices
      seen = values
      return apply(Layers.settings, values) + [updateOfRemotes, updateOfStages(reportsChanges: false)].compactMap { $0 }
    case .noticed(let setting, let value): return notice(setting, value.rounded)
    case .devicesChanged(let devices, let values): return changeDevices(devices, values)
    case .refused(let setting, let value, let reason):
      seen[setting] = value
      return [.warn("\(reason); it stays \(value.inTOML)")]
    case .configurationRead(let configuration, let values): return replaceConfiguration(configuration, values)
    case .rememberedRead(let remembered, let values): return replaceRemembered(remembered, values)
    case .rememberedWritten(let remembered):
      layers.remembered = remembered
      return []
    case .presetLoaded(let name):
      layers.remembered.preset = name
      return [.rememberPreset(name)]
    case .participantCame(let id): return participants.came(id, in: layers)
    case .participantChanged(let id, let mix): return participants.changed(id, to: mix, remembered: &layers.remembered)
    case .participantLeft(let id):
      participants.left(id)
      return []
    }
  }

  // MARK: Settings

  /// Sets each of the settings that has another value to the one in force now.
  private mutating func apply(_ settings: [Setting], _ values: [Setting: EventValue]) -> [PreferenceEffect] {
    settings.compactMap { setting in
      let (said, origin) = layers.resolved(setting, devices: devices)
      let wanted = changes[setting]?[origin.rule] ?? said
      seen[setting] = wanted
      return wanted.rounded == values[setting]?.rounded ? nil : .set(setting, wanted)
    }
  }

  /// Records a value that differs from the last known one as a change by somebody.
  private mutating func notice(_ setting: Setting, _ value: EventValue) -> [PreferenceEffect] {
    guard let before = seen[setting], before.rounded != value else { return [] }
    seen[setting] = value
    var effects: [PreferenceEffect] = []
    var (said, origin) = layers.resolved(setting, devices: devices)
    changes[setting, default: [:]][origin.rule] = value
    // A change under a device rule concerns that device alone, and is not remembered for all others.
    if origin.rule.isEmpty, setting.isRemembered {
      layers.remembered[setting] = value
      effects.append(.remember(setting, value))
      (said, origin) = layers.resolved(setting, devices: devices)
    }
    guard said.rounded != value, origin != .standard else { return effects }
    let source = origin == .commandLine ? "the \(origin.words)" : origin.words
    return effects + [.remark("\(setting.rawValue) is \(value.inTOML) for this run only: \(source) says \(said.inTOML)")]
  }

  private mutating func changeDevices(_ now: Set<String>, _ values: [Setting: EventValue]) -> [PreferenceEffect] {
    // A pick may be reported after the change of device that it caused.
    let noticed = Layers.settings.flatMap { setting in values[setting].map { notice(setting, $0.rounded) } ?? [] }
    guard devices != now else { return noticed }
    devices = now
    return noticed + apply(Layers.settings.filter { $0 != .microphoneMuted }, values)
  }

  // MARK: Files

  /// Applies a changed nearend.toml. What it says differently than before takes precedence over what people have set since.
  private mutating func replaceConfiguration(_ new: Configuration, _ values: [Setting: EventValue]) -> [PreferenceEffect] {
    let old = layers
    layers.configuration = new
    guard old.configuration != new else { return [] }
    let changed = Layers.settings.filter { setting in
      setting != .microphoneMuted && value(of: setting, in: old) != value(of: setting, in: layers)
    }
    for setting in Layers.settings where changed.contains(setting) || old.configuration.says(setting) != new.says(setting) {
      changes[setting] = nil
    }
    var effects = apply(changed, values)
    effects += changesOfSinks(from: old.configuration, to: new)
    if let updateOfRemotes { effects.append(updateOfRemotes) }
    effects += participants.layersChanged(from: old, to: layers)
    if !changed.isEmpty || old.configuration.withoutPresets != new.withoutPresets {
      effects.append(.reportConfiguration(changed.map { "\($0.rawValue) \(value(of: $0, in: layers).inTOML)" }))
    }
    if old.configuration.stages != new.stages { effects.append(updateOfStages(reportsChanges: true)) }
    let later = RunOption.allCases.filter { $0 != .sinks && $0 != .sends && old.configuration.option($0) != new.option($0) }
    if !later.isEmpty { effects.append(.remark("\(later.map(\.rawValue).joined(separator: ", ")): takes effect at the next start")) }
    if old.resolved(.microphoneMuted).value != layers.resolved(.microphoneMuted).value {
      effects.append(.remark("microphoneMuted: takes effect at the next start (a file never unmutes a running nearend)"))
    }
    return effects
  }

  private func value(of setting: Setting, in layers: Layers) -> EventValue { layers.resolved(setting, devices: devices).value }

  private func changesOfSinks(from old: Configuration, to new: Configuration) -> [PreferenceEffect] {
    guard case .list(let before) = old.option(.sinks), case .list(let now) = new.option(.sinks) else { return [] }
    let gone = before.filter { !now.contains($0) }
    let added = now.filter { !before.contains($0) }
    return gone.map { .removeSink($0) } + added.map { .addSink($0) }
  }

  private var updateOfRemotes: PreferenceEffect? {
    guard case .list(let sends) = layers.configuration.option(.sends) else { return nil }
    return .updateRemotes(layers.configuration.remotes, sends: sends)
  }

  private func updateOfStages(reportsChanges: Bool) -> PreferenceEffect {
    .updateStages(layers.configuration.stages, reportsChanges: reportsChanges)
  }

  /// Follows another process that has made nearend forget: what is no longer remembered is forgotten here, too.
  private mutating func replaceRemembered(_ new: Remembered, _ values: [Setting: EventValue]) -> [PreferenceEffect] {
    let old = layers.remembered
    layers.remembered = new
    let gains = participants.gainsChanged(from: old, to: layers)
    let changed = Layers.settings.filter { old[$0] != new[$0] }
    guard !changed.isEmpty else { return gains }
    for setting in changed { changes[setting] = nil }
    return gains + apply(changed, values) + [.reportReset(changed)]
  }
}

extension Layers.Origin {
  /// The pattern of the device rule; "" for any other origin.
  fileprivate var rule: String { if case .device(let pattern, _, _) = self { pattern } else { "" } }
}

extension EventValue {
  /// Rounds numbers to four decimals, because gains are held in single precision.
  var rounded: EventValue { if case .number(let number) = self { .number((number * 1e4).rounded() / 1e4) } else { self } }
}
