import Border
import VoiceFacts

/// A line of the tray's menu. [any]
package struct TrayEntry: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// Does something, or with no action says something.
    case plain
    /// Is on or off.
    case check(Bool)
    /// Is the chosen one of its neighbours, or is not.
    case choice(Bool)
    case submenu([TrayEntry])
    case separator
  }
  /// Names the entry, in whatever place it is; unique in a menu.
  package var key: String
  package var label: String
  package var kind: Kind
  /// What it does; nil for an entry that cannot be chosen.
  package var action: TrayAction?

  init(_ key: String, _ label: String, _ kind: Kind = .plain, _ action: TrayAction? = nil) {
    (self.key, self.label, self.kind, self.action) = (key, label, kind, action)
  }

  package var isEnabled: Bool {
    switch kind {
    case .submenu: true
    case .plain, .check, .choice, .separator: action != nil
    }
  }

  package var children: [TrayEntry] { if case .submenu(let entries) = kind { entries } else { [] } }

  /// This entry and all below it.
  package var all: [TrayEntry] { [self] + children.flatMap(\.all) }
}

/// The tray's menu as a function of the facts. [any]
enum TrayMenu {
  static func withoutNearend(_ facts: TrayFacts, _ title: String) -> [TrayEntry] {
    let start = facts.canStart ? [TrayEntry("start", "Start nearend", .plain, .startService)] : []
    return [TrayEntry("state", title), separator(1)] + start + [close]
  }

  static func entries(_ facts: TrayFacts, _ snapshot: Snapshot, _ title: String) -> [TrayEntry] {
    let route = snapshot.route
    var entries = [TrayEntry("state", title), separator(1)]
    if route.isPausedAfterUnplug { entries.append(TrayEntry("resume", "Resume on the speaker", .plain, .command(.resumeAfterUnplug))) }
    entries += [
      onOff(.microphoneMuted, "Mute microphone", snapshot.session.isMicrophoneMuted),
      onOff(.bypassVoiceProcessing, "Bypass voice processing", snapshot.processing.isBypassed),
      TrayEntry(Setting.micMode.rawValue, "Microphone mode", .submenu(modes(snapshot.processing.micMode.requested))),
      TrayEntry(Setting.microphone.rawValue, "Microphone", .submenu(devices(.microphone, .input, route))),
      TrayEntry(Setting.speaker.rawValue, "Speaker", .submenu(devices(.speaker, .output, route))),
    ]
    entries += [defaultDevices(route.defaults)] + presets(snapshot.presets)
    let obstacle = facts.dashboardObstacle.map { " (\($0.printable(atMost: 100)))" }
    entries += [
      separator(2),
      TrayEntry("dashboard", "Open dashboard\(obstacle ?? "")", .plain, obstacle == nil ? .openDashboard : nil),
      close,
    ]
    return entries
  }

  private static let close = TrayEntry("close", "Close this icon", .plain, .close)
  private static func separator(_ number: Int) -> TrayEntry { TrayEntry("separator:\(number)", "", .separator) }

  private static func onOff(_ setting: Setting, _ label: String, _ isOn: Bool) -> TrayEntry {
    TrayEntry(setting.rawValue, label, .check(isOn), .command(.set(setting, .bool(!isOn))))
  }

  private static func choice(_ setting: Setting, _ value: EventValue, _ label: String, isChosen: Bool) -> TrayEntry {
    TrayEntry("\(setting.rawValue):\(value)", label, .choice(isChosen), .command(.set(setting, value)))
  }

  private static func modes(_ requested: MicMode) -> [TrayEntry] {
    MicMode.allCases.map { mode in
      let label = mode.words.prefix(1).uppercased() + mode.words.dropFirst()
      return choice(.micMode, .string(mode.rawValue), label, isChosen: mode == requested)
    }
  }

  private static func devices(_ setting: Setting, _ direction: Device.Direction, _ route: RouteStatus) -> [TrayEntry] {
    let picked = route.picked(direction)
    let used = direction == .input ? route.microphone : route.speaker
    let following = picked == nil ? used.map { ": \($0.plainName)" } ?? "" : ""
    let standard = choice(setting, .string(""), "The system's default\(following)", isChosen: picked == nil)
    let missing = route.missingPick(direction).map { name in
      TrayEntry("\(setting.rawValue):\(name)", "\(name.printable(atMost: 100)) (not there)", .choice(true))
    }
    let others = route.devices.filter { $0.direction == direction }.map { device in
      choice(setting, .string(device.name), device.plainName, isChosen: device.name == picked)
    }
    return [standard] + (missing.map { [$0] } ?? []) + others
  }

  /// How programs that choose no device come to use nearend.
  private static func defaultDevices(_ defaults: DefaultDeviceStatus) -> TrayEntry {
    let choices = DefaultDeviceMode.allCases.map { mode in
      choice(.defaultDevices, .string(mode.rawValue), mode.label, isChosen: mode == defaults.requested)
    }
    return TrayEntry(Setting.defaultDevices.rawValue, "Programs that choose no device", .submenu(choices))
  }

  private static func presets(_ presets: PresetsStatus?) -> [TrayEntry] {
    guard let presets, !presets.names.isEmpty else { return [] }
    let choices = presets.names.map { name in
      TrayEntry("preset:\(name)", name, .choice(name == presets.loaded && !presets.isChanged), .command(.loadPreset(name)))
    }
    return [TrayEntry("preset", "Preset", .submenu(choices))]
  }
}

extension DefaultDeviceMode {
  fileprivate var label: String {
    switch self {
    case .off: "Without nearend"
    case .on: "Nearend's devices as the system's defaults"
    case .smart: "Through nearend as a smart filter"
    case .auto: "Through nearend, however it can be done"
    }
  }
}
