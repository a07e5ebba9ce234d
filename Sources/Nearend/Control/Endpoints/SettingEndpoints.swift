import Border
import Foundation
import SessionModel

extension ControlEndpoints {
  /// Requests for settings by name, and the shorthands for single ones.
  static let settings = [
    ControlEndpoint("GET", "/settings", isAlwaysAdmitted: true) { try $0.answerSettings() },
    ControlEndpoint("PATCH", "/settings", query: ["program"], isAlwaysAdmitted: true) { request in
      let values = try request.decode([String: EventValue].self, "an object such as {\"microphoneMuted\": true}")
      let program = try request.program()
      do throws(SettingError) {
        try request.service.change(values, for: program) { () throws(SettingError) in try request.service.set(values) }
        try request.service.checkThatItStays(values)
      } catch {
        throw RequestFailure(error.status, error.description)
      }
      try request.answerSettings()
    },
    ControlEndpoint("POST", "/use") { try $0.changeUsedPrograms() },
    // For a program that has changed a file: notices come later.
    ControlEndpoint("POST", "/reload") { request in
      request.service.reload.current?()
      try request.answerSettings()
    },
    ControlEndpoint("POST", "/mute", isAlwaysAdmitted: true) { try $0.setMuted(true) },
    ControlEndpoint("POST", "/unmute", isAlwaysAdmitted: true) { try $0.setMuted(false) },
  ]
}

extension ControlRequest {
  /// Decodes the body as JSON.
  func decode<Value: Decodable>(_ type: Value.Type, _ example: String) throws -> Value {
    let data = try exchange.read("application/json")
    do { return try JSONDecoder().decode(type, from: data) } catch { throw RequestFailure(400, "the body is not \(example)") }
  }

  fileprivate func answerSettings() throws {
    try exchange.answer(json: Dictionary(uniqueKeysWithValues: Setting.allCases.map { ($0.rawValue, service.value(of: $0)) }))
  }

  /// Adds programs to the setting `usedPrograms`, or removes some, all or none: who reads the setting and writes it back may lose what
  /// another has changed meanwhile.
  fileprivate func changeUsedPrograms() throws {
    struct Change: Decodable {
      var add: [String]?
      var remove: [String]?
    }
    let change = try decode(Change.self, "an object such as {\"add\": [\"firefox\"]}, or \"remove\"")
    try ControlEndpoints.using.withLock { _ in
      guard case .string(let text) = service.value(of: .usedPrograms), var used = UsedPrograms(text) else { return }
      // All or none: what a refusal lists is what stays.
      let names = used.names.isEmpty ? "none" : used.text
      for name in (change.remove ?? []).map(\.trimmed) where !used.remove(name) {
        throw RequestFailure(409, "\(name.printable()) is not used; used are: \(names)")
      }
      for name in (change.add ?? []).map(\.trimmed) where name.isEmpty || !used.add(name) {
        throw RequestFailure(422, "'\(name.printable())' cannot be used: give \(Setting.usedPrograms.possible)")
      }
      do throws(SettingError) { try service.set(.usedPrograms, to: .string(used.text)) } catch {
        throw RequestFailure(error.status, error.description)
      }
    }
    try answerSettings()
  }

  fileprivate func setMuted(_ isMuted: Bool) throws {
    do throws(SettingError) {
      try service.set(.microphoneMuted, to: .bool(isMuted))
      try service.checkThatItStays([Setting.microphoneMuted.rawValue: .bool(isMuted)])
    } catch {
      throw RequestFailure(error.status, error.description)
    }
    try exchange.answer(json: [Setting.microphoneMuted.rawValue: isMuted])
  }
}

extension SettingError {
  fileprivate var status: Int {
    switch self {
    case .unknown: 404
    case .badValue: 422
    case .refused(_, .ended): 503
    case .locked, .refused: 409
    }
  }
}

extension NearendService {
  /// Checks after a change that the session had not ended before it, and handed its settings on without the change.
  /// - Throws: `SettingError.refused` in that case.
  fileprivate func checkThatItStays(_ values: [String: EventValue]) throws(SettingError) {
    guard session.hasEnded, let name = values.keys.sorted().first else { return }
    throw .refused(setting: name, .ended)
  }
}
