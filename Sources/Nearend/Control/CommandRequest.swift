import ControlClient
import SessionModel

/// A command as a request to the control socket of the nearend that runs. [any]
package struct CommandRequest: Sendable, Equatable {
  package var method: String
  package var target: String
  package var body: [String: EventValue]

  package init(_ command: Command) {
    switch command {
    case .set(let setting, let value): self.init("PATCH", "/settings", [setting.rawValue: value])
    case .setSinkMuted(let id, let isMuted): self.init("PATCH", "/sinks/\(ControlClient.escaped(id))", ["muted": .bool(isMuted)])
    case .setSinkGain(let id, let gain): self.init("PATCH", "/sinks/\(ControlClient.escaped(id))", ["gain": .number(gain)])
    case .clearCounters: self.init(plain: .clearCounters)
    case .resumeAfterUnplug: self.init(plain: .resumeAfterUnplug)
    case .listen(let seconds): self.init(plain: .listen, ["seconds": .number(seconds)])
    case .stopListening: self.init(plain: .stopListening)
    case .loadPreset(let name): self.init("POST", "/presets/\(ControlClient.escaped(name))", [:])
    case .saveDiagnostics: self.init(plain: .saveDiagnostics)
    }
  }

  /// A request of `POST /commands`.
  private init(plain command: PlainCommand, _ arguments: [String: EventValue] = [:]) {
    self.init("POST", "/commands", arguments.merging(["command": .string(command.rawValue)]) { $1 })
  }

  private init(_ method: String, _ target: String, _ body: [String: EventValue]) {
    (self.method, self.target, self.body) = (method, target, body)
  }
}

/// The commands of `POST /commands`: those that are neither settings nor requests of their own.
enum PlainCommand: String, Codable, CaseIterable {
  case clearCounters, saveDiagnostics, resumeAfterUnplug, listen, stopListening, enableVoiceProcessing, disableVoiceProcessing
  /// Posts `didRecover` to the joined program alone once sound passes.
  case notifyWhenSoundPasses = "tellWhenSoundPasses"

  /// What a request may say besides the command.
  var arguments: Set<String> { self == .listen ? ["seconds"] : [] }
}
