import PipeWireClient

/// Makes nearend's devices the session's defaults, and restores the former ones afterwards (R2). Anybody's change meanwhile wins. [control]
struct DefaultDevices {
  /// A Boolean value indicating whether they should be the defaults.
  private(set) var isWanted: Bool
  /// The former configured defaults by key; "" for none.
  private(set) var former: [String: String]
  /// A Boolean value indicating whether nearend has set them in this run: later changes by others stay.
  private var isSet = false

  private static let names = [
    "default.configured.audio.sink": NodeNames.speaker, "default.configured.audio.source": NodeNames.microphone,
  ]

  /// - Parameter former: what an earlier run left behind, after a crash.
  init(isWanted: Bool, former: [String: String]) {
    self.isWanted = isWanted
    self.former = former
  }

  mutating func want(_ isWanted: Bool) {
    self.isWanted = isWanted
    isSet = false
  }

  /// Returns whether both are the session's configured defaults.
  static func areOurs(_ values: [String: String]) -> Bool { names.allSatisfy { Metadata.name(in: values[$0.key]) == $0.value } }

  /// Returns the configured default of a key as it was before nearend's.
  func configured(_ key: String, in values: [String: String]) -> String? {
    let name = Metadata.name(in: values[key])
    return name == Self.names[key] ? Metadata.name(in: former[key]) : name
  }

  /// Brings the session's metadata to its wanted state. `save` is called before any change that has to be restored.
  mutating func settle(_ metadata: Metadata, save: ([String: String]) -> Void) {
    guard metadata.isKnown else { return }
    if isWanted { set(metadata, save) } else { restore(metadata, save) }
  }

  private mutating func set(_ metadata: Metadata, _ save: ([String: String]) -> Void) {
    guard !isSet else { return }
    isSet = true
    let others = Self.names.filter { Metadata.name(in: metadata.values[$0.key]) != $0.value }
    for key in others.keys { former[key] = Self.isForgetting(metadata.values[key]) ? "" : metadata.values[key] ?? "" }
    save(former)
    for (key, name) in others { metadata.set(key, type: "Spa:String:JSON", value: "{\"name\":\"\(name)\"}") }
  }

  /// Restores the former state when nearend leaves, whatever is wanted.
  mutating func leave(_ metadata: Metadata, save: ([String: String]) -> Void) {
    isSet = false
    restore(metadata, save)
  }

  private mutating func restore(_ metadata: Metadata, _ save: ([String: String]) -> Void) {
    let before = former
    for (key, value) in before {
      // A session manager that has just started has not reported it yet.
      guard let current = metadata.values[key] else { continue }
      former[key] = nil
      guard Metadata.name(in: current) == Self.names[key] else { continue }
      if value.isEmpty { forget(key, metadata) }
      metadata.set(key, type: value.isEmpty ? nil : "Spa:String:JSON", value: value.isEmpty ? nil : value)
    }
    if former != before { save(former) }
  }

  /// Makes WirePlumber 0.4 forget the default. It prefers the 16 names configured last, even when none is configured: nearend's would stay
  /// the default, and become it at the next start. As many names that no node has push it out, and the highest priority decides, as before.
  /// WirePlumber 0.5 forgets by itself.
  private func forget(_ key: String, _ metadata: Metadata) {
    for number in 1...16 { metadata.set(key, type: "Spa:String:JSON", value: "{\"name\":\"\(Self.nobody)\(number)\"}") }
  }

  private static let nobody = "nearend.none."

  private static func isForgetting(_ json: String?) -> Bool { Metadata.name(in: json)?.hasPrefix(nobody) ?? false }
}
