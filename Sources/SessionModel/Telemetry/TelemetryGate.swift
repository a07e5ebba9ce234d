import Border

/// A kind of telemetry, as named in `disabledTelemetryTypes`. [any]
public enum TelemetryType: String, Codable, Sendable, CaseIterable {
  /// An event that harms the sound of a call: underrun, jitter spike, overrun, frame drop, interruption, change of device.
  case asmEvent
  /// The whole configuration, taken when a call starts and after the route changes.
  case asmSnapshot
}

/// The `clientTelemetry` section of a deployment configuration: what an operator allows to be sent (T3). [any]
///
///     { "clientTelemetry": { "sendASMTelemetryMinRemoteVersion": "1.10", "disabledTelemetryTypes": ["asmSnapshot"] } }
public struct TelemetryGate: Sendable, Equatable {
  /// The lowest version of nearend that sends; nil for any version.
  public var minimumVersion: SoftwareVersion?
  /// The types that are not sent, whatever the version.
  public var disabledTypes: Set<TelemetryType> = []
  /// Types that the operator's file names and nearend does not know: other programs' types, which it never sends, or misspelt ones.
  package private(set) var foreignTypes: [String] = []

  /// Creates a gate that lets everything through.
  public init() {}

  /// Creates a gate from the values of both keys.
  /// - Throws: `TelemetryConfigurationError`, which names the key and the value.
  public init(sendASMTelemetryMinRemoteVersion: String?, disabledTelemetryTypes: [String]) throws(TelemetryConfigurationError) {
    if let text = sendASMTelemetryMinRemoteVersion {
      guard let version = SoftwareVersion(text) else { throw .badVersion(text) }
      minimumVersion = version
    }
    for name in disabledTelemetryTypes {
      guard let type = TelemetryType(rawValue: name) else { throw .unknownType(name) }
      disabledTypes.insert(type)
    }
  }

  /// Returns why this version sends nothing; nil if it sends something.
  public func obstacle(for version: SoftwareVersion) -> String? {
    if let minimumVersion, version < minimumVersion {
      return "sendASMTelemetryMinRemoteVersion is \(minimumVersion), and this is nearend \(version)"
    }
    return disabledTypes.count == TelemetryType.allCases.count ? "disabledTelemetryTypes has every type" : nil
  }

  /// Returns whether nearend of this version may send telemetry of this type.
  public func allows(_ type: TelemetryType, from version: SoftwareVersion) -> Bool {
    !disabledTypes.contains(type) && minimumVersion.map { version >= $0 } ?? true
  }
}

extension TelemetryGate: Decodable {
  private enum Key: String, CodingKey { case sendASMTelemetryMinRemoteVersion, disabledTelemetryTypes }

  /// Decodes the object under "clientTelemetry". A missing key, or null, has no effect, nor has a type that nearend does not know: the file
  /// is for all of the operator's programs, and what nearend does not send is suppressed already.
  public init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    let names = try keys.decodeIfPresent([String].self, forKey: .disabledTelemetryTypes) ?? []
    try self.init(
      sendASMTelemetryMinRemoteVersion: keys.decodeIfPresent(String.self, forKey: .sendASMTelemetryMinRemoteVersion),
      disabledTelemetryTypes: names.filter { TelemetryType(rawValue: $0) != nil })
    foreignTypes = names.filter { TelemetryType(rawValue: $0) == nil }
  }
}

/// An invalid configuration of telemetry, with what would be valid. [any]
public enum TelemetryConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  case badVersion(String)
  case unknownType(String)
  case badURL(String)
  case badEndpoint(String)
  case badHeader(String)
  case badInterval(Double)
  case badFile(path: String, reason: String)
  case badDocument(String)

  public var description: String {
    switch self {
    case .badVersion(let text):
      "sendASMTelemetryMinRemoteVersion '\(text)' is no version; give numbers between dots, such as 1.10, or leave it out"
    case .unknownType(let name):
      "disabledTelemetryTypes: there is no telemetry type '\(name)'; there are: "
        + TelemetryType.allCases.map(\.rawValue).joined(separator: ", ")
    case .badURL(let text):
      "telemetry cannot be sent to '\(text.withoutSecrets)'; give an address that begins with http:// or https:// and names a host, "
        + "and perhaps a port from 1 to 65535"
    case .badEndpoint(let text):
      "'\(text.withoutSecrets)' is no collector's address; give one that begins with http:// or https:// and names a host, "
        + "and perhaps a port from 1 to 65535, without a query, such as http://localhost:4318"
    case .badHeader(let text):
      "'\(text.prefix { $0 != ":" })' is no header that can be added; give 'Name: value', and none of Content-Type, Content-Length, "
        + "Transfer-Encoding, Connection and Host"
    case .badInterval(let seconds): "\(seconds) s is no interval between readings; give 1 to 3600"
    case .badDocument(let reason):
      "the telemetry configuration cannot be used: \(reason); give an object such as "
        + "{\"clientTelemetry\": {\"sendASMTelemetryMinRemoteVersion\": \"0.1\", \"disabledTelemetryTypes\": []}}"
    case .badFile(let path, let reason): "telemetry cannot be written to '\(path)': \(reason); give a file that can be written"
    }
  }
}
