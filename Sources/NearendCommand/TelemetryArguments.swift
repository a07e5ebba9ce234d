import ArgumentParser
import Foundation
import Nearend
import Platform
import Preferences
import SessionModel

/// The options of telemetry, and the two keys of `clientTelemetry`. A rehearsal sends none, because it is not a call.
struct TelemetryArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Append telemetry to this file, as lines of JSON; at 10 MiB it becomes <path>.1.", valueName: "path"),
    completion: .file())
  var telemetryFile: String?
  @Option(help: ArgumentHelp("Post telemetry to this server, as lines of JSON.", valueName: "url"))
  var telemetryUrl: String?
  @Option(
    help: ArgumentHelp(
      "Post metrics to this OpenTelemetry collector, such as http://localhost:4318, by OTLP/HTTP in JSON.", valueName: "url"))
  var telemetryOtlp: String?
  @Option(help: ArgumentHelp("An additional HTTP header for the collector; may be repeated.", valueName: "Name: value"))
  var telemetryOtlpHeader: [String] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seconds between readings of the metrics, 1 to 3600; by default 60.", valueName: "seconds"))
  var telemetryOtlpInterval: Double?
  @Option(
    help: ArgumentHelp(
      "Filter telemetry by the section \"clientTelemetry\" of this JSON file.", valueName: "path"), completion: .file(extensions: ["json"]))
  var telemetryConfig: String?
  @Option(
    help: ArgumentHelp(
      "Send telemetry only where nearend's version is this one or later (sendASMTelemetryMinRemoteVersion).", valueName: "version"))
  var telemetryMinVersion: String?
  @Option(
    help: ArgumentHelp(
      "Send no telemetry of this type, asmEvent or asmSnapshot (disabledTelemetryTypes); may be repeated.", valueName: "type"))
  var telemetryDisable: [String] = []

  var isGiven: Bool { hasDestination || isOtlpDetailed || telemetryConfig != nil || isGateGiven }
  private var hasDestination: Bool { telemetryFile != nil || telemetryUrl != nil || telemetryOtlp != nil }
  private var isOtlpDetailed: Bool { !telemetryOtlpHeader.isEmpty || telemetryOtlpInterval != nil }
  private var isGateGiven: Bool { telemetryMinVersion != nil || !telemetryDisable.isEmpty }

  func validate() throws {
    if telemetryOtlp == nil, isOtlpDetailed {
      throw ValidationError("--telemetry-otlp-header and --telemetry-otlp-interval need --telemetry-otlp.")
    }
    if !hasDestination, isGiven {
      throw ValidationError(
        "--telemetry-config, --telemetry-min-version and --telemetry-disable need --telemetry-file, --telemetry-url or --telemetry-otlp.")
    }
    if telemetryConfig != nil, isGateGiven {
      throw ValidationError("--telemetry-config cannot be combined with --telemetry-min-version or --telemetry-disable.")
    }
    _ = try options()
  }

  /// The options of the command line, with those of nearend.toml that none of them sets.
  func options(with configuration: Configuration) throws -> TelemetryOptions {
    let merged = merged(with: configuration)
    let isConfigured: [RunOption: Bool] = [
      .telemetryFile: telemetryFile == nil, .telemetryUrl: telemetryUrl == nil, .telemetryOtlp: telemetryOtlp == nil,
      .telemetryOtlpHeaders: telemetryOtlpHeader.isEmpty, .telemetryConfig: telemetryConfig == nil,
      .telemetryMinVersion: telemetryMinVersion == nil, .telemetryDisable: telemetryDisable.isEmpty,
    ]
    return try merged.options(configured: Set(isConfigured.filter(\.value).keys))
  }

  /// - Parameter configured: those that nearend.toml gives, if anybody does.
  private func options(configured: Set<RunOption> = []) throws -> TelemetryOptions {
    do throws(TelemetryConfigurationError) {
      let gate: TelemetryGate
      if let telemetryConfig {
        gate = try Self.gate(ofFile: telemetryConfig)
      } else {
        gate = try TelemetryGate(sendASMTelemetryMinRemoteVersion: telemetryMinVersion, disabledTelemetryTypes: telemetryDisable)
      }
      var collector: OTLPOptions?
      if let telemetryOtlp {
        collector = try OTLPOptions(endpoint: telemetryOtlp, headers: telemetryOtlpHeader, seconds: telemetryOtlpInterval ?? 60)
      }
      return try TelemetryOptions(file: telemetryFile, url: telemetryUrl, otlp: collector, gate: gate)
    } catch {
      throw ValidationError(blamed(error, configured) + ": \(error).")
    }
  }

  /// What was given and is wrong: an option, or a key of nearend.toml.
  private func blamed(_ error: TelemetryConfigurationError, _ configured: Set<RunOption>) -> String {
    let option: (key: RunOption, argument: String) =
      switch error {
      // The gate is given by the operator's file, or by these two.
      case .badVersion where telemetryConfig == nil: (.telemetryMinVersion, "--telemetry-min-version")
      case .unknownType where telemetryConfig == nil: (.telemetryDisable, "--telemetry-disable")
      case .badVersion, .unknownType, .badDocument: (.telemetryConfig, "--telemetry-config")
      case .badURL: (.telemetryUrl, "--telemetry-url")
      case .badEndpoint: (.telemetryOtlp, "--telemetry-otlp")
      case .badHeader: (.telemetryOtlpHeaders, "--telemetry-otlp-header")
      case .badInterval: (.telemetryOtlp, "--telemetry-otlp-interval")
      case .badFile: (.telemetryFile, "--telemetry-file")
      }
    return configured.contains(option.key) ? "\(option.key.rawValue) of nearend.toml" : option.argument
  }

  /// Fills destination and gate from nearend.toml, unless an option sets them.
  private func merged(with configuration: Configuration) -> TelemetryArguments {
    func text(_ option: RunOption) -> String? {
      if case .text(let text) = configuration.option(option), !text.isEmpty { text } else { nil }
    }
    var merged = self
    if !hasDestination {
      (merged.telemetryFile, merged.telemetryUrl, merged.telemetryOtlp) = (text(.telemetryFile), text(.telemetryUrl), text(.telemetryOtlp))
      if case .list(let headers) = configuration.option(.telemetryOtlpHeaders) { merged.telemetryOtlpHeader = headers }
    }
    guard telemetryConfig == nil, !isGateGiven else { return merged }
    (merged.telemetryConfig, merged.telemetryMinVersion) = (text(.telemetryConfig), text(.telemetryMinVersion))
    if case .list(let types) = configuration.option(.telemetryDisable) { merged.telemetryDisable = types }
    return merged
  }

  private static func gate(ofFile path: String) throws(TelemetryConfigurationError) -> TelemetryGate {
    let data: Data
    do throws(SystemError) { data = Data(try contents(ofFile: path)) } catch {
      throw .badDocument("'\(path)' cannot be read: \(error)")
    }
    return try TelemetryGate(configuration: data)
  }

}
