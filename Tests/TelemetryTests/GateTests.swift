import Foundation
import Nearend
import SessionModel
import Testing

@Suite("The operator's gate")
struct GateTests {
  @Test(
    "T3: versions are compared number by number",
    arguments: [
      ("1.9", "1.10", true), ("1.10", "1.9", false), ("1.25.4", "1.25.4", false), ("1.25.3", "1.25.4", true), ("1.25", "1.25.1", true),
      ("1.10", "1.10.0", false), ("1.10.0", "1.10", false), ("0.1.0", "1", true), ("2", "1.99.99", false), ("01.2", "1.2", false),
    ])
  func order(a: String, b: String, isLess: Bool) throws {
    #expect(try (#require(SoftwareVersion(a)) < #require(SoftwareVersion(b))) == isLess)
  }

  @Test("T3: 1.10 is 1.10.0")
  func equal() { #expect(SoftwareVersion("1.10") == SoftwareVersion("1.10.0")) }

  @Test(
    "T3: an invalid version is a configuration error that says so",
    arguments: ["", ".", "1.", ".1", "1..2", "1.x", "v1.2", "1.2-beta", " 1.2", "1,2", "-1", "١", "99999999999999999999"])
  func malformed(text: String) {
    #expect(SoftwareVersion(text) == nil)
    #expect(throws: TelemetryConfigurationError.badVersion(text)) {
      try TelemetryGate(sendASMTelemetryMinRemoteVersion: text, disabledTelemetryTypes: [])
    }
    #expect(TelemetryConfigurationError.badVersion(text).description.contains("sendASMTelemetryMinRemoteVersion '\(text)'"))
  }

  @Test("T3: an unknown type is a configuration error that names the valid ones")
  func unknownType() {
    #expect(throws: TelemetryConfigurationError.unknownType("asmevent")) {
      try TelemetryGate(sendASMTelemetryMinRemoteVersion: nil, disabledTelemetryTypes: ["asmEvent", "asmevent"])
    }
    #expect(TelemetryConfigurationError.unknownType("x").description.contains("asmEvent, asmSnapshot"))
  }

  @Test(
    "T3: nearend's own version must be the least one or later", arguments: [(nil, true), ("1.10", true), ("1.10.0", true), ("1.11", false)])
  func minimum(version: String?, isOpen: Bool) throws {
    let gate = try TelemetryGate(sendASMTelemetryMinRemoteVersion: version, disabledTelemetryTypes: [])
    let own = try #require(SoftwareVersion("1.10"))
    for type in TelemetryType.allCases { #expect(gate.allows(type, from: own) == isOpen) }
  }

  @Test("T3: each type can be disabled by itself, or both")
  func types() throws {
    let own = try #require(SoftwareVersion(nearendVersion), "nearend's own version is one")
    for disabled in [[], ["asmEvent"], ["asmSnapshot"], ["asmEvent", "asmSnapshot"]] {
      let gate = try TelemetryGate(sendASMTelemetryMinRemoteVersion: nil, disabledTelemetryTypes: disabled)
      for type in TelemetryType.allCases { #expect(gate.allows(type, from: own) != disabled.contains(type.rawValue)) }
    }
  }

  @Test("T3: the clientTelemetry section is read as the guide has it, with null and without keys")
  func document() throws {
    func gate(_ text: String) throws -> TelemetryGate { try JSONDecoder().decode(TelemetryGate.self, from: Data(text.utf8)) }
    #expect(try gate("{}") == TelemetryGate())
    #expect(try gate(#"{"sendASMTelemetryMinRemoteVersion": null}"#) == TelemetryGate())
    let full = try gate(#"{"sendASMTelemetryMinRemoteVersion": "1.25.4", "disabledTelemetryTypes": ["asmEvent", "asmSnapshot"]}"#)
    #expect(full.minimumVersion == SoftwareVersion("1.25.4"))
    #expect(full.disabledTypes == [.asmEvent, .asmSnapshot])
    #expect(throws: TelemetryConfigurationError.badVersion("soon")) { try gate(#"{"sendASMTelemetryMinRemoteVersion": "soon"}"#) }
  }

  @Test("T3: an operator's configuration is taken as the guide has it: the section clientTelemetry counts, others are not read")
  func configuration() throws {
    func gate(_ text: String) throws -> TelemetryGate { try TelemetryGate(configuration: Data(text.utf8)) }
    let full = try gate(
      #"{"other": [1], "clientTelemetry": {"sendASMTelemetryMinRemoteVersion": "1.25.4", "disabledTelemetryTypes": ["asmEvent"]}}"#)
    #expect(full.minimumVersion == SoftwareVersion("1.25.4"))
    #expect(full.disabledTypes == [.asmEvent])
    let foreign = try gate(#"{"clientTelemetry": {"disabledTelemetryTypes": ["mediaStats", "asmSnapshot"]}}"#)
    #expect(foreign.disabledTypes == [.asmSnapshot], "what nearend does not send is suppressed already")
    for nothing in ["{}", #"{"clientTelemetry": null}"#, #"{"clientTelemetry": {}}"#, #"{"other": 1}"#] {
      #expect(try gate(nothing) == TelemetryGate(), "\(nothing) gates nothing")
    }
    for (text, words) in [
      ("", "not JSON"), ("{", "not JSON"), ("[]", "not a JSON object"),
      (#"{"clientTelemetry": 1}"#, "clientTelemetry has"),
      (#"{"clientTelemetry": {"disabledTelemetryTypes": "asmEvent"}}"#, "disabledTelemetryTypes has a value of the wrong type"),
    ] {
      do throws(TelemetryConfigurationError) {
        _ = try TelemetryGate(configuration: Data(text.utf8))
        Issue.record("\(text) was taken")
      } catch { #expect(error.description.contains(words), "\(text): \(error)") }
    }
  }

  @Test("T3: a gate that lets nothing through says why: the guide's 1.25.4 is another product's version")
  func obstacle() throws {
    let own = try #require(SoftwareVersion(nearendVersion))
    func obstacle(_ version: String?, _ types: [String] = []) throws -> String? {
      try TelemetryGate(sendASMTelemetryMinRemoteVersion: version, disabledTelemetryTypes: types).obstacle(for: own)
    }
    #expect(try obstacle("1.25.4") == "sendASMTelemetryMinRemoteVersion is 1.25.4, and this is nearend \(nearendVersion)")
    #expect(try obstacle(nil, ["asmEvent", "asmSnapshot"]) == "disabledTelemetryTypes has every type")
    #expect(try obstacle("0.1", ["asmEvent"]) == nil)
    #expect(try obstacle(nil) == nil)
  }

  @Test(
    "T3: an address that cannot be posted to is refused",
    arguments: ["", "nowhere", "ftp://host/x", "http://", "file:///tmp/x", "//host/x"])
  func badURL(text: String) {
    #expect(throws: TelemetryConfigurationError.badURL(text)) { try TelemetryOptions(url: text) }
  }

  @Test("T3: telemetry is off unless it has somewhere to go")
  func off() throws {
    #expect(!TelemetryOptions().isOn)
    #expect(try TelemetryOptions(url: "https://host:8443/asm?x=1").isOn)
  }
}

@Suite("What is telemetry")
struct TelemetryRulesTests {
  @Test("T3: a snapshot when a call starts, and after each change of route in it")
  func snapshots() {
    var rules = TelemetryRules()
    #expect(rules.decide(.deviceChange, hasMedia: false) == .init())
    #expect(rules.decide(.mediaRegistered, hasMedia: true).snapshot == .callStart)
    #expect(rules.decide(.mediaRegistered, hasMedia: true).snapshot == nil)
    #expect(rules.decide(.deviceChange, hasMedia: true) == .init(sendsEvent: true), "the change of route comes with it")
    #expect(rules.decide(.routeChange, hasMedia: true).snapshot == .routeChange)
    #expect(rules.decide(.routeChange, hasMedia: true).snapshot == .routeChange)
    #expect(rules.decide(.mediaUnregistered, hasMedia: false).snapshot == nil)
    #expect(rules.decide(.mediaRegistered, hasMedia: true).snapshot == .callStart, "the next call")
  }

  @Test("T3: in a call, what harms its sound is sent, and nothing else", arguments: AudioEvent.Kind.allCases)
  func kinds(kind: AudioEvent.Kind) {
    var rules = TelemetryRules()
    _ = rules.decide(.mediaRegistered, hasMedia: true)
    _ = rules.decide(.interruptionBegan, hasMedia: true)
    let harmless: Set<AudioEvent.Kind> = [.didRecover, .mediaRegistered, .mediaUnregistered, .settingChanged, .talkingWhileMuted]
    #expect(rules.decide(kind, hasMedia: true).sendsEvent == !harmless.contains(kind))
  }

  @Test("T3: without a call nothing is sent except the end of an interruption that began in one")
  func noCall() {
    for kind in AudioEvent.Kind.allCases {
      var rules = TelemetryRules()
      #expect(rules.decide(kind, hasMedia: false) == .init())
    }
    var rules = TelemetryRules()
    _ = rules.decide(.interruptionBegan, hasMedia: true)
    _ = rules.decide(.mediaUnregistered, hasMedia: false)
    #expect(rules.decide(.interruptionEnded, hasMedia: false).sendsEvent)
    #expect(!rules.decide(.interruptionEnded, hasMedia: false).sendsEvent)
  }
}
