import SessionModel

/// The action of a key.
enum KeyAction: Equatable, Sendable {
  case toggleBypass
  case toggle(ProcessingComponent)
  case otherEngine
  /// The next mode of the microphone, cyclically.
  case nextMicMode
  case toggleMicrophone
  case nextMuteMode
  case togglePrepared, toggleAppDucking, toggleAppMonitor
  /// In tenths.
  case stepVolume(Volume, Int)
  /// In rows downward.
  case move(Int)
  /// In screenfuls downward; on the Routes page the other list.
  case leap(Int)
  case first, last
  case muteSink
  /// In fifths of the unchanged level, 0–9.
  case setGain(Int)
  /// In dB.
  case stepGain(Int)
  case pickDevice, openRoutes
  case toggleDefaultDevices, resumeAfterUnplug, otherReference
  /// The next level, cyclically.
  case turnDucking
  case toggleAdvancedDucking
  case clearCounters, saveDiagnostics, nextPreset
  /// Begins to listen to oneself, or ends it.
  case listen
  case page(Page)
  /// In pages forward.
  case turnPage(Int)
  case help, back, quit

  /// Whether it is about pages, which a small terminal does not show.
  var needsPages: Bool {
    switch self {
    case .page, .turnPage, .openRoutes, .pickDevice: true
    default: false
    }
  }
}

/// The signal that a volume applies to (D5).
enum Volume: Equatable, Sendable { case microphone, app, output }

/// A line of the help with its keys: help and behaviour come from the same table.
struct KeyGroup: Sendable {
  var label: String
  var meaning: String
  var keys: [Key: KeyAction]

  static let all: [KeyGroup] = [
    KeyGroup(
      "space M u", "mute or unmute the microphone; u: the next way of muting",
      ["M": .toggleMicrophone, " ": .toggleMicrophone, "u": .nextMuteMode]),
    KeyGroup(
      "b y", "bypass: the raw microphone; y: hear yourself as others do", ["b": .toggleBypass, "y": .listen]),
    KeyGroup(
      "e E n g H v", "AEC, other engine, NS, AGC, high-pass; v: next mic mode",
      [
        "e": .toggle(.echoCancellation), "E": .otherEngine, "n": .toggle(.noiseSuppression), "g": .toggle(.gainControl),
        "H": .toggle(.highPassFilter), "v": .nextMicMode,
      ]),
    KeyGroup(
      "o O", "ducking of other applications; O: by voice activity", ["o": .turnDucking, "O": .toggleAdvancedDucking]),
    KeyGroup(
      "p a A", "keep recording prepared; app audio: duck it, monitor it",
      ["p": .togglePrepared, "a": .toggleAppDucking, "A": .toggleAppMonitor]),
    KeyGroup(
      "[ ] { } < >", "volume of the microphone, app audio, everything played",
      [
        "[": .stepVolume(.microphone, -1), "]": .stepVolume(.microphone, 1), "{": .stepVolume(.app, -1), "}": .stepVolume(.app, 1),
        "<": .stepVolume(.output, -1), ">": .stepVolume(.output, 1),
      ]),
    KeyGroup(
      "up down k j", "select a participant or a device; scroll", keys: [.up: .move(-1), .down: .move(1)], ["k": .move(-1), "j": .move(1)]),
    KeyGroup(
      "left right h l", "a screenful; Routes: microphones, speakers; Graphs: span", keys: [.left: .leap(-1), .right: .leap(1)],
      ["h": .leap(-1), "l": .leap(1)]),
    KeyGroup(
      "PgUp PgDn Home End", "a screenful; the first; the last",
      keys: [.pageUp: .leap(-1), .pageDown: .leap(1), .home: .first, .end: .last]),
    KeyGroup("m", "mute or unmute the selected participant", ["m": .muteSink]),
    KeyGroup(
      "0 ... 9", "its gain in fifths: 0 silent, 5 unchanged, 9 +5.1 dB",
      Dictionary(uniqueKeysWithValues: (0...9).map { (Unicode.Scalar(UInt8(48 + $0)), KeyAction.setGain($0)) })),
    KeyGroup(
      "+ = -", "its gain by 1 dB (= as +); +12 at most, below -40 silent",
      ["+": .stepGain(1), "=": .stepGain(1), "-": .stepGain(-1)]),
    KeyGroup(
      "Enter c", "on Routes: use the selected device; c elsewhere: Routes", keys: [.enter: .pickDevice],
      ["c": .openRoutes]),
    KeyGroup(
      "d r R", "default devices; r: resume after unplugging; R: reference",
      ["d": .toggleDefaultDevices, "r": .resumeAfterUnplug, "R": .otherReference]),
    KeyGroup(
      "C D s", "reset the counters; D: save diagnostics; s: next preset",
      ["C": .clearCounters, "D": .saveDiagnostics, "s": .nextPreset]),
    KeyGroup(
      "F1 ... F6", "Call, Participants, Routes, Diagnostics, Log, Graphs",
      keys: Dictionary(uniqueKeysWithValues: Page.allCases.map { (Key.function($0.rawValue + 1), KeyAction.page($0)) })),
    KeyGroup("Tab Shift-Tab", "next page, previous page", keys: [.tab: .turnPage(1), .backTab: .turnPage(-1)]),
    KeyGroup(
      "? q", "this help, which ?, Esc and q close; q, Ctrl-C: quit", keys: [.escape: .back],
      ["?": .help, "q": .quit]),
  ]

  /// Every key that works.
  static let actions: [Key: KeyAction] = all.reduce(into: [:]) { $0.merge($1.keys) { first, _ in first } }

  private init(
    _ label: String, _ meaning: String, keys: [Key: KeyAction] = [:], _ characters: [Unicode.Scalar: KeyAction] = [:]
  ) {
    self.label = label
    self.meaning = meaning
    self.keys = keys
    for (scalar, action) in characters { self.keys[.character(scalar)] = action }
  }
}
