internal import CHostileClient
import SimulatedHardware

/// Metadata objects, foreign and its own.
extension HostileClient {
  private static func entry(_ generator: inout SeededGenerator) -> (key: String, value: String?) {
    let keys = [
      "default.audio.sink", "default.audio.source", "default.configured.audio.sink", "default.configured.audio.source", "target.node",
      "target.object", "clock.force-quantum", HostilePod.text(&generator),
    ]
    let values = [
      "{\"name\":\"hw.speaker\"}", "{\"name\":\"nearend.speaker\"}", "{\"name\":\"hostile.speaker\"}",
      "{\"name\":\"hostile.microphone\"}", "{\"name\":1e999}", "{\"name\":\"" + String(repeating: "n", count: 4_000) + "\"}",
      "{\"name\":\"\\u0000\\ud800\"}", "99999999999999999999", "{\"name\":\(String(repeating: "[", count: 5_000))", "-1", "",
      HostilePod.text(&generator),
    ]
    let value = Int.random(in: 0..<4, using: &generator) == 0 ? nil : values.randomElement(using: &generator)
    return (keys.randomElement(using: &generator) ?? "", value)
  }

  private func subject(_ generator: inout SeededGenerator) -> UInt32 {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0..<4: 0
    case 4: .random(in: .min ... .max, using: &generator)
    default: find("Node").randomElement(using: &generator) ?? 0
    }
  }

  /// Sets a value in a foreign metadata object.
  func setMetadata(_ generator: inout SeededGenerator) -> String {
    let name = Int.random(in: 0..<8, using: &generator) == 0 ? "route-settings" : "default"
    guard let metadata = find("Metadata", name).randomElement(using: &generator) else { return "no metadata" }
    let (key, value) = Self.entry(&generator)
    hc_set_metadata(
      requests, metadata, subject(&generator), key, "Spa:String:JSON", value)
    return "metadata"
  }

  /// Publishes metadata objects under the names that the session manager and the daemon use, with values that come and go.
  func writeMetadata(_ generator: inout SeededGenerator) -> String {
    guard let object = metadata.randomElement(using: &generator), metadata.count > 1 || Bool.random(using: &generator) else {
      let name = ["default", "default", "settings", "route-settings", HostilePod.text(&generator)].randomElement(using: &generator) ?? ""
      if let object = hc_add_metadata(client, name) { metadata.append(object) }
      return "metadata object \(["default", "settings", "route-settings"].contains(name) ? name : "of another name")"
    }
    for _ in 0..<Int.random(in: 1...30, using: &generator) {
      let (key, value) = Self.entry(&generator)
      let type = [nil, "Spa:String:JSON", "Spa:Id", HostilePod.text(&generator)].randomElement(using: &generator) ?? nil
      hc_tell_metadata(object, subject(&generator), Int.random(in: 0..<16, using: &generator) == 0 ? nil : key, type, value)
    }
    return "metadata told"
  }
}
