import Border
import Foundation
import PipeWireClient

/// nearend's devices as the session's defaults, and the former ones again afterwards (R2). Whoever changes a default meanwhile wins. [control]
struct DefaultDevices {
  /// Whether they should be.
  private(set) var isWanted: Bool
  /// The configured defaults before ours, by key; "" where there was none.
  private(set) var former: [String: String]
  /// Ours were set in this run: what somebody sets after that stays.
  private var isSet = false

  private static let names = [
    "default.configured.audio.sink": NodeNames.speaker, "default.configured.audio.source": NodeNames.microphone,
  ]

  /// - Parameter former: what an earlier run left, after a crash.
  init(isWanted: Bool, former: [String: String]) {
    self.isWanted = isWanted
    self.former = former
  }

  mutating func want(_ isWanted: Bool) {
    self.isWanted = isWanted
    isSet = false
  }

  /// Whether both are the defaults that the session is configured to have.
  static func areOurs(_ values: [String: String]) -> Bool { names.allSatisfy { name(in: values[$0.key]) == $0.value } }

  /// The configured default of a key as it was without us.
  func configured(_ key: String, in values: [String: String]) -> String? {
    let name = Self.name(in: values[key])
    return name == Self.names[key] ? Self.name(in: former[key]) : name
  }

  /// Brings the session's metadata to what it should be. `save` is called before anything is changed that has to be put back.
  mutating func settle(_ metadata: Metadata, save: ([String: String]) -> Void) {
    guard metadata.isKnown else { return }
    if isWanted { set(metadata, save) } else { restore(metadata, save) }
  }

  private mutating func set(_ metadata: Metadata, _ save: ([String: String]) -> Void) {
    guard !isSet else { return }
    isSet = true
    let others = Self.names.filter { Self.name(in: metadata.values[$0.key]) != $0.value }
    for key in others.keys { former[key] = Self.isForgetting(metadata.values[key]) ? "" : metadata.values[key] ?? "" }
    save(former)
    for (key, name) in others { metadata.set(key, type: "Spa:String:JSON", value: "{\"name\":\"\(name)\"}") }
  }

  /// When nearend leaves: as it was before, whatever is wanted.
  mutating func leave(_ metadata: Metadata, save: ([String: String]) -> Void) {
    isSet = false
    restore(metadata, save)
  }

  private mutating func restore(_ metadata: Metadata, _ save: ([String: String]) -> Void) {
    let before = former
    for (key, value) in before {
      // A session manager that has just started has yet to tell.
      guard let current = metadata.values[key] else { continue }
      former[key] = nil
      guard Self.name(in: current) == Self.names[key] else { continue }
      if value.isEmpty { forget(key, metadata) }
      metadata.set(key, type: value.isEmpty ? nil : "Spa:String:JSON", value: value.isEmpty ? nil : value)
    }
    if former != before { save(former) }
  }

  /// WirePlumber 0.4 prefers the 16 names last configured, also once nothing is: ours would stay the default, and become it at another start. As many names
  /// that no node has push it out, and what has the highest priority is the default, as before. WirePlumber 0.5 forgets by itself.
  private func forget(_ key: String, _ metadata: Metadata) {
    for number in 1...16 { metadata.set(key, type: "Spa:String:JSON", value: "{\"name\":\"\(Self.nobody)\(number)\"}") }
  }

  private static let nobody = "nearend.none."

  private static func isForgetting(_ json: String?) -> Bool { name(in: json)?.hasPrefix(nobody) ?? false }

  /// The metadata's values are JSON: {"name":"alsa_output.…"}. Printable, as the names of nodes are that it is held against.
  static func name(in json: String?) -> String? {
    guard let json else { return nil }
    struct Value: Decodable { var name: String }
    return try? JSONDecoder().decode(Value.self, from: Data(json.utf8)).name.printable()
  }
}
