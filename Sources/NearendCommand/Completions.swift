import ArgumentParser
import ControlClient
import Foundation
import Nearend
import PipeWireGraph
import SessionModel

/// What shells complete beside the words of the grammar: names that the running nearend knows, or PipeWire. Nothing if neither answers.
extension CompletionKind {
  /// Bash asks the first parser's `--mic` for that of `process`, too, which is a file.
  static let microphones = CompletionKind.custom { words, _, prefix in
    words.dropFirst().first == "process" ? Candidates.files(prefix) : Candidates(words).devices(.input)
  }
  static let speakers = CompletionKind.custom { words, _, _ in Candidates(words).devices(.output) }
  static let participants = CompletionKind.custom { words, _, _ in Candidates(words).snapshot?.sinks.map(\.id) ?? [] }
  static let sends = CompletionKind.custom { words, _, _ in Candidates(words).snapshot?.sends.map(\.id) ?? [] }
  static let stages = CompletionKind.custom { words, _, _ in Candidates(words).snapshot?.stages.map(\.id) ?? [] }
  static let presets = CompletionKind.custom { words, _, _ in Candidates(words).snapshot?.presets?.names ?? PresetName.ofFiles.map(\.name) }
  static let stagePorts = CompletionKind.custom { words, _, _ in Candidates(words).ports }
  static let programs = CompletionKind.custom { words, _, _ in Candidates(words).programs }
  static let settingValues = CompletionKind.custom { words, current, _ in Candidates(words).values(at: current) }
  static let settings = CompletionKind.list(names(Setting.allCases))
  static let switches = CompletionKind.list(names(Setting.allCases.filter(\.isSwitch)))

  private static func names(_ settings: [Setting]) -> [String] { settings.flatMap(\.names) }
}

extension Setting {
  /// The name, and the short one.
  var names: [String] { [rawValue] + (alias.map { [$0] } ?? []) }
}

/// Finds candidates for a command line that is being typed.
private struct Candidates {
  let words: [String]

  init(_ words: [String]) { self.words = words }

  /// The state of the nearend of `--socket`, or of the standard one; nil if none answers.
  var snapshot: Snapshot? {
    let given: String? = zip(words, words.dropFirst()).first { $0.0 == "--socket" }?.1
    guard let path = given ?? ControlPath.standard(ProcessInfo.processInfo.environment) else { return nil }
    return ControlClient(path: path).answered(Snapshot.self, "/status")
  }

  func devices(_ direction: Device.Direction) -> [String] {
    let devices = snapshot?.route.devices ?? (try? GraphInspection.devices()) ?? []
    return devices.filter { $0.direction == direction }.map(\.name)
  }

  /// The programs that play or record now.
  var programs: [String] { snapshot?.route.programs.map(\.name) ?? [] }

  /// The files and folders whose paths begin with `prefix`.
  static func files(_ prefix: String) -> [String] {
    let folder = prefix.lastIndex(of: "/").map { prefix[...$0] } ?? ""
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : String(folder))) ?? []
    return names.map { folder + $0 }.filter { $0.hasPrefix(prefix) }.sorted()
  }

  /// The words behind a command, without options.
  private func arguments(behind command: String) -> [String] {
    guard let place = words.firstIndex(of: command) else { return [] }
    return words[(place + 1)...].filter { !$0.hasPrefix("-") }
  }

  /// Returns the values of the setting that was typed before; none where the word at this place is not the first behind it.
  func values(at place: Int) -> [String] {
    let typed = Candidates(Array(words.prefix(place))).arguments(behind: "set")
    guard typed.count == 1, let setting = Setting(named: typed[0]) else { return [] }
    switch setting.kind {
    case .bool: return ["on", "off"]
    case .choice(let words), .switchedChoice(let words): return words
    case .deviceName: return devices(setting == .microphone ? .input : .output)
    case .programNames: return programs
    case .channels: return ["auto", "mean"]
    case .volume: return []
    }
  }

  /// The ports of the stage that was typed before.
  var ports: [String] {
    guard let id = arguments(behind: "set").first else { return [] }
    return snapshot?.stages.first { $0.id == id }?.ports.map { "\($0.name)=" } ?? []
  }
}
