import ArgumentParser
import Foundation
import Nearend
import PipeWireGraph
import Platform
import SessionModel

extension EchoCanceller: ExpressibleByArgument {}
extension MicMode: ExpressibleByArgument {}
extension ReferenceSource: ExpressibleByArgument {}
extension InterruptionOptions.Inactivity: ExpressibleByArgument {}

/// The options of what nearend shows, and for how long.
struct DisplayOptions: ParsableArguments {
  @Flag(help: "Run without the dashboard until SIGINT or SIGTERM; log to standard error.")
  var headless = false
  // `unconditional`, as for every number: -1 is an invalid number, not an option.
  @Option(parsing: .unconditional, help: ArgumentHelp("Stop by itself after this many seconds (with --headless).", valueName: "n"))
  var seconds: Double?
  @Flag(help: "Print the status document when it stops (with --headless).")
  var json = false
  @Option(help: "How the dashboard draws: unicode, compat or ascii; by default, or with auto, what the locale allows.")
  var glyphs: GlyphChoice?

  /// The names of those that were given.
  var given: [String] {
    let names = [
      headless ? "--headless" : nil, seconds == nil ? nil : "--seconds", json ? "--json" : nil, glyphs == nil ? nil : "--glyphs",
    ]
    return names.compactMap { $0 }
  }

  /// One year.
  private static let longest = 31_536_000.0

  /// Called by the command that runs, not by the parser, which would apply it to `nearend` itself for every subcommand, too.
  func check() throws {
    if !headless, seconds != nil || json { throw ValidationError("--seconds and --json need --headless.") }
    if let seconds, !(seconds > 0 && seconds <= Self.longest) {
      let text = "\(seconds)"
      let given = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
      throw ValidationError("--seconds \(given): give a number greater than 0, and at most \(Int(Self.longest)).")
    }
  }
}

/// The options of devices and reference.
struct DeviceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The real microphone, by node name (see `nearend devices`); by default the session's default.", valueName: "name"),
    completion: .microphones)
  var mic: String?
  @Option(
    help: ArgumentHelp("The real speaker, by node name; by default the session's default.", valueName: "name"), completion: .speakers)
  var speaker: String?
  @Option(help: "What the echo canceller listens to: everything that the speaker plays (the default), or only nearend's own mix.")
  var reference: ReferenceSource?
  @Option(
    help: ArgumentHelp("Give a participant a PipeWire sink device of its own, nearend.sink.<id>; may be repeated.", valueName: "id"))
  var sink: [String] = []
  @Flag(
    inversion: .prefixedNo,
    help: "Voice processing (useVoiceProcessingIO), on by default; without it the microphone passes unchanged, with no added latency.")
  var voiceProcessing: Bool?
  @Option(help: "The echo canceller: nearend's own (the default), webrtc, or off. Can be changed at run time.")
  var aec: EchoCanceller?

  @Option(
    help: "How room sound is treated: standard (the default), voiceIsolation or wideSpectrum. Can be changed at run time.")
  var micMode: MicMode?

  @Option(
    help: ArgumentHelp(
      "Streams with one of these roles (media.role) interrupt the session while they run; '' for none, by default "
        + InterruptionOptions.defaultRoles.joined(separator: ",") + ".", valueName: "role,role"))
  var interruptingRoles: String?
  @Option(help: "Whether the session stops (the default) or continues while another login session has the seat.")
  var whenInactive: InterruptionOptions.Inactivity?
  @Flag(
    name: .customLong("default"), inversion: .prefixedNo,
    help: "Let programs that choose no device use nearend: as a smart filter, or as the session's default (defaultDevices = auto).")
  var makesDefault: Bool?
  @Flag(
    inversion: .prefixedNo, help: "Pause playback when headphones are unplugged, instead of continuing in the room (the default).")
  var pauseOnUnplug: Bool?

  @Flag(
    inversion: .prefixedNo,
    help: "Leave activation to a call manager: nothing runs before `nearend activate` (manualAudioSessionManagement).")
  var manual: Bool?

  func validate() throws {
    for id in sink {
      if let problem = ParticipantId.problem(id) { throw ValidationError("--sink \(id): \(problem).") }
    }
    if Set(sink).count != sink.count { throw ValidationError("--sink: every id may be given only once.") }
    for (option, name) in [("--mic", mic), ("--speaker", speaker)] {
      guard let name, GraphController.isOwnNode(name) else { continue }
      throw ValidationError("\(option) \(name): give a real device, as 'nearend devices' lists them: nearend's own would hear itself.")
    }
  }

  /// The names of those that were given.
  var given: [String] {
    func name(_ isOn: Bool?, _ name: String) -> String? { isOn.map { $0 ? "--\(name)" : "--no-\(name)" } }
    let names = [
      mic.map { _ in "--mic" }, speaker.map { _ in "--speaker" }, reference.map { _ in "--reference" }, sink.isEmpty ? nil : "--sink",
      name(voiceProcessing, "voice-processing"), aec.map { _ in "--aec" }, micMode.map { _ in "--mic-mode" },
      interruptingRoles.map { _ in "--interrupting-roles" }, whenInactive.map { _ in "--when-inactive" },
      name(makesDefault, "default"), name(pauseOnUnplug, "pause-on-unplug"), name(manual, "manual"),
    ]
    return names.compactMap { $0 }
  }

  /// Whether no option was given in which a running nearend may differ.
  var isStandard: Bool { settings.isEmpty && sink.isEmpty && interruptingRoles == nil && whenInactive == nil }

  /// The settings that these options set.
  var settings: [Setting: EventValue] {
    var settings: [Setting: EventValue] = [:]
    if let mic { settings[.microphone] = .string(mic) }
    if let speaker { settings[.speaker] = .string(speaker) }
    if let reference { settings[.reference] = .string(reference.rawValue) }
    if let voiceProcessing { settings[.useVoiceProcessingIO] = .bool(voiceProcessing) }
    if let aec { settings[.echoCanceller] = .string(aec.rawValue) }
    if let micMode { settings[.micMode] = .string(micMode.rawValue) }
    if let makesDefault { settings[.defaultDevices] = EventValue(makesDefault ? DefaultDeviceMode.switchedOn : .off) }
    if let pauseOnUnplug { settings[.pauseOnUnplug] = .bool(pauseOnUnplug) }
    if let manual { settings[.manualAudioSessionManagement] = .bool(manual) }
    return settings
  }
}
