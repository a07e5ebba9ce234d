import ControlClient
import Foundation
import SessionModel

extension ControlClient {
  /// Has the running nearend carry a command out; returns nil for one that cannot be written as JSON.
  func perform(_ command: Command) throws(TransferError) -> HTTPAnswer? {
    switch command {
    case .set(let setting, let value): try send("PATCH", "/settings", [setting.rawValue: value])
    case .setSinkMuted(let id, let muted): try send("PATCH", "/sinks/\(Self.escaped(id))", ["muted": .bool(muted)])
    case .setSinkGain(let id, let gain): try send("PATCH", "/sinks/\(Self.escaped(id))", ["gain": .number(gain)])
    case .clearCounters: try send("POST", "/commands", ["command": .string("clearCounters")])
    case .resumeAfterUnplug: try send("POST", "/commands", ["command": .string("resumeAfterUnplug")])
    case .listen: try send("POST", "/commands", ["command": .string("listen")])
    case .stopListening: try send("POST", "/commands", ["command": .string("stopListening")])
    case .loadPreset(let name): try send("POST", "/presets/\(Self.escaped(name))", [:])
    case .saveDiagnostics: try send("POST", "/commands", ["command": .string("saveDiagnostics")])
    }
  }

  /// Returns what is at `target`; nil where no nearend answers, or with something else.
  func answered<Value: Decodable>(_ type: Value.Type, _ target: String) -> Value? {
    guard let answer = try? request("GET", target), answer.isSuccess else { return nil }
    return try? JSONDecoder.ofDocuments.decode(type, from: answer.body)
  }

  private func send(_ method: String, _ target: String, _ document: [String: EventValue]) throws(TransferError) -> HTTPAnswer? {
    guard let json = try? JSONEncoder().encode(document) else { return nil }
    return try request(method, target, json: json)
  }
}
