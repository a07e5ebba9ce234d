import Border
import Foundation
import Nearend
import PipeWireGraph
import SessionModel

/// What nearend.toml says beside settings: options that are read when nearend starts. [any]
///
/// `rawValue` is the key in the file.
public enum RunOption: String, Sendable, CaseIterable {
  /// Participants with a device of their own, from the start.
  case sinks
  case interruptingRoles
  /// An `InterruptionOptions.Inactivity`.
  case whenInactive
  /// A `Glyphs`.
  case glyphs
  case telemetryFile
  case telemetryUrl
  case telemetryConfig
  case telemetryMinVersion
  /// Of `TelemetryType`.
  case telemetryDisable

  public enum Value: Sendable, Equatable {
    case text(String)
    case list([String])
  }

  /// How the dashboard draws.
  public enum Glyphs: String, Sendable, CaseIterable {
    /// What the locale allows.
    case auto
    case unicode, compat, ascii
  }

  /// What it is where nobody has said.
  public var standard: Value {
    switch self {
    case .sinks, .telemetryDisable: .list([])
    case .interruptingRoles: .list(InterruptionOptions.defaultRoles)
    case .whenInactive: .text(InterruptionOptions.Inactivity.stop.rawValue)
    case .glyphs: .text(Glyphs.auto.rawValue)
    case .telemetryFile, .telemetryUrl, .telemetryConfig, .telemetryMinVersion: .text("")
    }
  }

  /// One line for people: what it does.
  public var summary: String {
    switch self {
    case .sinks: "Participants with a PipeWire sink device of their own, nearend.sink.<id>"
    case .interruptingRoles: "Streams with one of these roles (media.role) interrupt the session while they run"
    case .whenInactive: "What becomes of the session while another login session has the seat"
    case .glyphs: "How the dashboard draws; auto is what the locale allows"
    case .telemetryFile: "Append telemetry to this file, as lines of JSON"
    case .telemetryUrl: "Post telemetry to this server, as lines of JSON"
    case .telemetryConfig: "Send what this operator's configuration lets through: a JSON file with a section \"clientTelemetry\""
    case .telemetryMinVersion: "Send telemetry only where nearend's version is this one or later"
    case .telemetryDisable: "Types of telemetry that are not sent"
    }
  }

  /// The words that it can be, where it is one of some.
  public var words: [String]? {
    switch self {
    case .whenInactive: InterruptionOptions.Inactivity.allCases.map(\.rawValue)
    case .glyphs: Glyphs.allCases.map(\.rawValue)
    default: nil
    }
  }

  /// - Throws: `SettingError.badValue`, which says what is possible.
  public func checked(_ value: Value) throws(SettingError) -> Value {
    switch (self, value) {
    case (.whenInactive, .text(let word)), (.glyphs, .text(let word)):
      guard words?.contains(word) == true else { throw bad(word) }
    case (.sinks, .list(let ids)):
      for id in ids {
        if let problem = ParticipantId.problem(id) { throw bad(id, problem) }
      }
      guard Set(ids).count == ids.count else { throw bad(ids.joined(separator: ", "), "every id only once") }
    case (.interruptingRoles, .list): break
    case (.telemetryMinVersion, .text(let text)) where !text.isEmpty: try telemetry { try TelemetryOptions(gate: Self.gate(text, [])) }
    case (.telemetryDisable, .list(let types)): try telemetry { try TelemetryOptions(gate: Self.gate(nil, types)) }
    case (.telemetryUrl, .text(let text)) where !text.isEmpty: try telemetry { try TelemetryOptions(url: text) }
    case (.telemetryFile, .text), (.telemetryUrl, .text), (.telemetryConfig, .text), (.telemetryMinVersion, .text): break
    case (_, .text(let text)): throw bad(text)
    case (_, .list(let list)): throw bad(list.joined(separator: ", "))
    }
    return value
  }

  private static func gate(_ version: String?, _ types: [String]) throws(TelemetryConfigurationError) -> TelemetryGate {
    try TelemetryGate(sendASMTelemetryMinRemoteVersion: version, disabledTelemetryTypes: types)
  }

  private func telemetry(_ make: () throws -> TelemetryOptions) throws(SettingError) {
    do { _ = try make() } catch { throw .badValue(setting: rawValue, value: "that", possible: "\(error)") }
  }

  private func bad(_ value: String, _ possible: String? = nil) -> SettingError {
    .badValue(setting: rawValue, value: value.printable(), possible: possible ?? self.possible)
  }

  /// What it can be, for people.
  public var possible: String {
    if let words { return words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "") }
    return switch self {
    case .sinks: "a list of ids, such as [\"alice\", \"bob\"]"
    case .interruptingRoles: "a list of roles, such as [\"Phone\", \"Emergency\"]"
    case .telemetryDisable: "a list of types, such as [\"\(TelemetryType.allCases[0].rawValue)\"]"
    default: "a text, or an empty one for none"
    }
  }
}

extension RunOption.Value: CustomStringConvertible {
  /// As TOML writes it.
  public var description: String {
    switch self {
    case .text(let text): text.quotedForTOML
    case .list(let list): "[\(list.map(\.quotedForTOML).joined(separator: ", "))]"
    }
  }
}

extension String {
  /// As a basic string of TOML.
  var quotedForTOML: String {
    "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").printable(atMost: .max) + "\""
  }
}

extension EventValue {
  /// As TOML writes it.
  public var inTOML: String {
    switch self {
    case .string(let text): text.quotedForTOML
    case .bool, .integer, .number: description
    }
  }
}
