import Border

/// What is fixed about a setting: every place that names, parses, checks, describes, keeps, applies or reports settings takes it from here.
/// [any]
package struct SettingRow: Sendable {
  package var kind: Setting.Kind
  package var standard: EventValue
  package var alias: String?
  /// What it is for, in one line.
  package var summary: String
  package var home: SettingHome
  package var remark: SettingRemark
  package var rules: SettingRules
  /// Why it cannot be set for a device; nil if it can.
  package var deviceObstacle: String?

  static func onOff(
    _ standard: Bool, _ summary: String, alias: String? = nil, home: SettingHome, remark: SettingRemark, _ rules: SettingRules = [],
    notForDevices obstacle: String? = nil
  ) -> Self {
    Self(
      kind: .bool, standard: .bool(standard), alias: alias, summary: summary, home: home, remark: remark, rules: rules,
      deviceObstacle: obstacle)
  }

  /// A gain; its remark is `name` and the percentage.
  static func volume(_ summary: String, alias: String? = nil, remark name: String, _ rules: SettingRules = []) -> Self {
    Self(kind: .volume, standard: .number(1), alias: alias, summary: summary, home: .audio, remark: .percent(name), rules: rules)
  }

  static func device(_ direction: Device.Direction, _ summary: String) -> Self {
    Self(
      kind: .deviceName, standard: .string(""), summary: summary, home: .device(direction), remark: .live,
      rules: [.needsDevices, .isConfigured], deviceObstacle: decidesDevice)
  }

  static func programs(_ summary: String) -> Self {
    Self(
      kind: .programNames, standard: .string(""), alias: "use",
      summary: summary,
      home: .graph(
        SettingPlace {
          .string($0.usedPrograms.text)
        } write: {
          if case .string(let text) = $1, let used = UsedPrograms(text) { $0.usedPrograms = used }
        }),
      remark: .words { value in
        guard case .string(let text) = value else { return nil }
        return text.isEmpty ? "no program is moved to nearend's devices" : "programs moved to nearend's devices: \(text)"
      }, rules: [.needsDevices, .holdsFromTheStart, .ignoresRepetition], deviceObstacle: "it concerns programs")
  }

  static func channels(_ summary: String) -> Self {
    Self(
      kind: .channels, standard: .string(MicrophoneChannels.auto.text), alias: "channels", summary: summary, home: .audio,
      remark: .words { "the microphone's channels: \($0)" }, rules: [.ignoresRepetition])
  }

  /// - Parameter isSwitch: whether one of the words is "off".
  static func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ standard: Choice, _ summary: String, isSwitch: Bool = false, alias: String? = nil, home: SettingHome, remark: SettingRemark,
    _ rules: SettingRules = [], notForDevices obstacle: String? = nil
  ) -> Self {
    let words = Choice.allCases.map(\.rawValue)
    return Self(
      kind: isSwitch ? .switchedChoice(words) : .choice(words), standard: .string(standard.rawValue), alias: alias, summary: summary,
      home: home, remark: remark, rules: rules, deviceObstacle: obstacle)
  }

  static let decidesDevice = "it decides which device is used"
  static let isLockedInCalls = "it is locked while media is registered"
}

/// What is special about a setting. [any]
package struct SettingRules: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// It concerns devices or who uses them, and has no effect in manual rendering.
  package static let needsDevices = Self(rawValue: 1)
  /// Its last value is not restored at the next start.
  package static let isForgotten = Self(rawValue: 2)
  /// A joined program's change of it ends with that program.
  package static let endsWithProgram = Self(rawValue: 4)
  /// Setting the current value again is neither logged nor posted.
  package static let ignoresRepetition = Self(rawValue: 8)
  /// It is locked while media is registered (L6).
  package static let isInitOnly = Self(rawValue: 16)
  /// It holds before the graph is joined, not only from then on. Only for one whose home is the graph or the session.
  package static let holdsFromTheStart = Self(rawValue: 32)
  /// `AudioSessionConfiguration` has it, and takes precedence over what an earlier session had.
  package static let isConfigured = Self(rawValue: 64)
}

/// Where a setting's value is held. [any]
package enum SettingHome: Sendable {
  /// By what is shared with the audio thread: `audioPlace` in Nearend says where.
  case audio
  case graph(SettingPlace<GraphSettings>)
  /// By the session, which changes it by an event; nil for a value of another kind.
  case session(SettingPlace<SessionSettings>, @Sendable (EventValue) -> SessionEvent?)
  /// By the service, for the program that runs it.
  case program(SettingPlace<ProgramSettings>)
  /// By the routes: the device picked for a direction.
  case device(Device.Direction)

  static func session(
    _ path: WritableKeyPath<SessionSettings, Bool> & Sendable, _ event: @escaping @Sendable (Bool) -> SessionEvent
  ) -> Self {
    .session(.onOff(path)) { if case .bool(let on) = $0 { event(on) } else { nil } }
  }

  static func session<Word: RawRepresentable<String> & Sendable>(
    _ path: WritableKeyPath<SessionSettings, Word> & Sendable, _ event: @escaping @Sendable (Word) -> SessionEvent
  ) -> Self {
    .session(.word(path)) { $0.word().map(event) }
  }
}

/// The property that holds a setting. [any]
package struct SettingPlace<Holder>: Sendable {
  package let read: @Sendable (Holder) -> EventValue
  /// Ignores a value that is not of the setting's kind.
  package let write: @Sendable (inout Holder, EventValue) -> Void

  package init(read: @escaping @Sendable (Holder) -> EventValue, write: @escaping @Sendable (inout Holder, EventValue) -> Void) {
    self.read = read
    self.write = write
  }

  package static func onOff(_ path: WritableKeyPath<Holder, Bool> & Sendable) -> Self {
    Self {
      .bool($0[keyPath: path])
    } write: {
      if case .bool(let on) = $1 { $0[keyPath: path] = on }
    }
  }

  /// A linear gain.
  package static func gain(_ path: WritableKeyPath<Holder, Float> & Sendable) -> Self {
    Self {
      .number($0[keyPath: path].inFewestDigits)
    } write: {
      if case .number(let gain) = $1 { $0[keyPath: path] = Float(gain) }
    }
  }

  package static func word<Word: RawRepresentable<String> & Sendable>(_ path: WritableKeyPath<Holder, Word> & Sendable) -> Self {
    Self {
      EventValue($0[keyPath: path])
    } write: {
      if let word = $1.word(Word.self) { $0[keyPath: path] = word }
    }
  }
}

/// What the log says of a changed setting. [any]
package enum SettingRemark: Sendable {
  case onOff(String, String)
  /// What is followed by the percentage.
  case percent(String)
  case words(@Sendable (EventValue) -> String?)
  /// It depends on what runs: `SettingRemarks` in Nearend has the words.
  case live
  /// The session says it.
  case bySession

  static func word<Word: RawRepresentable<String> & Sendable>(_ words: @escaping @Sendable (Word) -> String) -> Self {
    .words { $0.word().map(words) }
  }

  /// Returns the words for a value; nil where they are somebody else's.
  package func words(_ value: EventValue) -> String? {
    switch (self, value) {
    case (.onOff(let on, let off), .bool(let isOn)): isOn ? on : off
    case (.percent(let name), .number(let gain)): "\(name) \(Int(bounded: gain * 100)) %"
    case (.words(let words), _): words(value)
    default: nil
    }
  }
}
