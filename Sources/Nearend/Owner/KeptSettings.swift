import SessionModel

/// What is kept while no session is driven: the configuration, the session's state, and the settings for the next one.
struct KeptSettings: Sendable {
  private(set) var configuration = AudioSessionConfiguration()
  /// The session between two that are driven.
  var session = SessionState()
  /// Settings changed without a session, or kept from the last one.
  private(set) var settings: [Setting: EventValue] = [:]
  /// Those that the program has changed since the last session: a joined nearend is asked for these only.
  var changed: Set<Setting> = []

  func value(of setting: Setting) -> EventValue {
    if setting == .echoCanceller, settings[.echoCancellation] == .bool(false) { return .string(EchoCanceller.off.rawValue) }
    return settings[setting] ?? configured(setting) ?? setting.standard
  }

  private func configured(_ setting: Setting) -> EventValue? {
    switch setting.home {
    case .device(.input): configuration.microphone.map { .string($0) }
    case .device(.output): configuration.speaker.map { .string($0) }
    case .graph(let place): place.read(configuration.settings)
    case .audio, .session, .program: nil
    }
  }

  /// Sets the configuration, which takes precedence over what was set in an earlier session.
  mutating func configure(_ new: AudioSessionConfiguration) {
    configuration = new
    for setting in Setting.allCases where setting.has(.isConfigured) { settings[setting] = nil }
  }

  /// Keeps the canceller's engine and its switch separately, so that in the next session, too, on means the engine chosen last.
  mutating func set(_ setting: Setting, to value: EventValue) {
    changed.insert(setting)
    guard setting == .echoCanceller else { return settings[setting] = value }
    let isOn = value != .string(EchoCanceller.off.rawValue)
    settings[.echoCancellation] = .bool(isOn)
    if isOn { settings[.echoCanceller] = value }
  }

  /// Takes over what outlasts a session.
  mutating func take(_ session: SessionState, _ settings: [Setting: EventValue]) {
    self.session = session.atRest
    self.settings = settings
    changed = []
  }
}
