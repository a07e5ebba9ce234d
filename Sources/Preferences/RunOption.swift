import Border
import Foundation
import Nearend
import PipeWireGraph
import Platform
import RTP
import SessionModel

/// Options in nearend.toml that are not settings; all but `sinks` and `sends` are read only when nearend starts. [any]
///
/// `rawValue` is the key in the file.
package enum RunOption: String, Sendable, CaseIterable {
  /// Participants with a device of their own, from the start.
  case sinks
  /// Addresses of other machines to which the voice is sent.
  case sends
  case interruptingRoles
  /// An `InterruptionOptions.Inactivity`.
  case whenInactive
  /// A `Glyphs`.
  case glyphs
  case telemetryFile
  case telemetryUrl
  case telemetryOtlp
  /// Headers as "Name: value".
  case telemetryOtlpHeaders
  case telemetryConfig
  case telemetryMinVersion
  /// Names of `TelemetryType`s.
  case telemetryDisable

  package enum Value: Sendable, Equatable {
    case text(String)
    case list([String])
  }

  /// How the dashboard draws.
  package enum Glyphs: String, Sendable, CaseIterable {
    /// What the locale allows.
    case auto
    case unicode, compat, ascii
  }

  /// The default value.
  package var standard: Value {
    switch self {
    case .sinks, .sends, .telemetryDisable, .telemetryOtlpHeaders: .list([])
    case .interruptingRoles: .list(InterruptionOptions.defaultRoles)
    case .whenInactive: .text(InterruptionOptions.Inactivity.stop.rawValue)
    case .glyphs: .text(Glyphs.auto.rawValue)
    case .telemetryFile, .telemetryUrl, .telemetryOtlp, .telemetryConfig, .telemetryMinVersion: .text("")
    }
  }

  /// A one-line description for people.
  package var summary: String {
    switch self {
    case .sinks: "Participants with a PipeWire sink device of their own, nearend.sink.<id>"
    case .sends: "Other machines to which the voice is sent by RTP while nearend runs"
    case .interruptingRoles: "Streams with one of these roles (media.role) interrupt the session while they run"
    case .whenInactive: "Whether the session stops or continues while another login session has the seat"
    case .glyphs: "Glyphs of the dashboard; auto chooses by the locale"
    case .telemetryFile: "Append telemetry to this file, as lines of JSON"
    case .telemetryUrl: "Post telemetry to this server, as lines of JSON"
    case .telemetryOtlp: "Post metrics to this OpenTelemetry collector, such as http://localhost:4318, by OTLP/HTTP in JSON"
    case .telemetryOtlpHeaders: "Additional HTTP headers for the collector, such as an authorization"
    case .telemetryConfig: "Filter telemetry by the section \"clientTelemetry\" of this JSON file"
    case .telemetryMinVersion: "Send telemetry only where nearend's version is this one or later"
    case .telemetryDisable: "Types of telemetry that are not sent"
    }
  }

  /// The possible words, for an option that is a choice.
  package var words: [String]? {
    switch self {
    case .whenInactive: InterruptionOptions.Inactivity.allCases.map(\.rawValue)
    case .glyphs: Glyphs.allCases.map(\.rawValue)
    default: nil
    }
  }

  /// - Throws: `SettingError.badValue`, which says what is possible.
  package func checked(_ value: Value) throws(SettingError) -> Value {
    switch (self, value) {
    case (.whenInactive, .text(let word)), (.glyphs, .text(let word)):
      guard words?.contains(word) == true else { throw bad(word) }
    case (.sinks, .list(let ids)):
      for id in ids {
        if ParticipantId.reserved.contains(id) { throw bad(id, "a name that nearend's own ports do not have") }
        if IdRule.problem(id) != nil { throw bad(id, IdRule.possible) }
      }
      guard Set(ids).count == ids.count else { throw bad(ids.joined(separator: ", "), "every id only once") }
    case (.sends, .list(let addresses)):
      for text in addresses {
        let address: RTPAddress
        do throws(RTPAddressError) { address = try RTPAddress(text) } catch { throw bad(text, error.description) }
        guard !address.isAny else { throw bad(text, "the other machine's address") }
      }
      guard Set(addresses).count == addresses.count else { throw bad(addresses.joined(separator: ", "), "every address only once") }
    case (.interruptingRoles, .list): break
    case (.telemetryMinVersion, .text(let text)) where !text.isEmpty: try telemetry { try TelemetryOptions(gate: Self.gate(text, [])) }
    case (.telemetryDisable, .list(let types)): try telemetry { try TelemetryOptions(gate: Self.gate(nil, types)) }
    case (.telemetryUrl, .text(let text)) where !text.isEmpty: try telemetry { try TelemetryOptions(url: text) }
    case (.telemetryOtlp, .text(let text)) where !text.isEmpty:
      try telemetry { try TelemetryOptions(otlp: OTLPOptions(endpoint: text)) }
    case (.telemetryOtlpHeaders, .list(let headers)):
      try telemetry { try TelemetryOptions(otlp: OTLPOptions(endpoint: "http://localhost:4318", headers: headers)) }
    case (.telemetryFile, .text), (.telemetryUrl, .text), (.telemetryOtlp, .text), (.telemetryConfig, .text), (.telemetryMinVersion, .text):
      break
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

  /// The possible values, for people.
  package var possible: String {
    if let words { return words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "") }
    return switch self {
    case .sinks: "a list of ids, such as [\"alice\", \"bob\"]"
    case .sends: "a list of addresses, such as [\"10.0.0.8:5004\"]"
    case .interruptingRoles: "a list of roles, such as [\"Phone\", \"Emergency\"]"
    case .telemetryDisable: "a list of types, such as [\"\(TelemetryType.allCases[0].rawValue)\"]"
    case .telemetryOtlpHeaders: "a list of headers, such as [\"Authorization: Bearer …\"]"
    default: "a text, or an empty one for none"
    }
  }
}

extension RunOption.Value: CustomStringConvertible {
  /// In TOML syntax.
  package var description: String {
    switch self {
    case .text(let text): text.quotedForTOML
    case .list(let list): "[\(list.map(\.quotedForTOML).joined(separator: ", "))]"
    }
  }
}

extension String {
  /// As a basic string in TOML syntax.
  var quotedForTOML: String {
    "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").printable(atMost: .max) + "\""
  }
}

extension EventValue {
  /// In TOML syntax.
  package var inTOML: String {
    switch self {
    case .string(let text): text.quotedForTOML
    case .bool, .integer, .number: description
    }
  }
}
