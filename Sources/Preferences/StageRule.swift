import Border
import Nearend
import Platform
import SessionModel
import TOMLKit

/// `[[stage]]`: a LADSPA plug-in in a chain from the start (S6). [any]
package struct StageRule: Sendable, Equatable {
  package var chain: PlugInChain
  package var plugin: PlugInAddress
  /// nil uses the label.
  package var id: String?
  /// Values by port name; only the plug-in knows which ports it has.
  package var settings: [String: Double] = [:]

  static let keys = ["chain", "plugin", "id", "set"]
  static let example = "[[stage]] with chain = \"capture\" and plugin = \"amp_1181:amp\""

  /// Reads a table; returns problems by key.
  static func read(_ table: TOMLTable) -> (rule: StageRule?, problems: [(key: String?, message: String)]) {
    var problems: [(key: String?, message: String)] = []
    func fail(_ key: String?, _ message: String) { problems.append((key, message)) }
    for key in table.keys where !keys.contains(key) {
      fail(key, "nothing of a stage is called '\(key.printable())'; there are: \(keys.joined(separator: ", "))")
    }
    let chain = table["chain"]?.string.flatMap(PlugInChain.init)
    if chain == nil { fail("chain", "a stage has a chain: give \"capture\" or \"render\"") }
    let address = table["plugin"]?.string.flatMap { try? PlugInAddress($0) }
    if address == nil { fail("plugin", "a stage has a plugin: give \"FILE:LABEL\", such as \"amp_1181:amp\"") }
    var id: String?
    if let value = table["id"] {
      id = value.string
      let problem = id.map { IdRule.problem($0) } ?? "give a text"
      if let problem { fail("id", "the stage's id cannot be that: \(problem)") }
    }
    var settings: [String: Double] = [:]
    if let value = table["set"] {
      if let ports = value.table {
        for port in ports.keys {
          let number = ports[port]?.double ?? ports[port]?.int.map(Double.init)
          if let number, number.isFinite {
            settings[port] = number
          } else {
            fail("set", "'\(port.printable())' cannot be that: give a number")
          }
        }
      } else {
        fail("set", "set is a table of port names and numbers: give { \"Amps gain (dB)\" = -6 }")
      }
    }
    guard problems.isEmpty, let chain, let address else { return (nil, problems) }
    return (StageRule(chain: chain, plugin: address, id: id, settings: settings), [])
  }
}

/// Keeps the stages that nearend.toml lists in a running service, in the file's order. One thread at a time.
struct StageKeeper {
  private var kept: [(rule: StageRule, id: String)] = []

  /// Applies the changes of the file, and returns them in words. Stages after the first new or removed one are added again, to keep the
  /// file's order. One that could not be added is tried again each time.
  mutating func take(_ rules: [StageRule], _ service: NearendService) -> [String] {
    var words: [String] = []
    let same = zip(kept, rules).prefix { $0.rule.isSame(as: $1) }.count
    for index in 0..<same where kept[index].rule.settings != rules[index].settings {
      let id = kept[index].id
      kept[index].rule = rules[index]
      do throws(PlugInError) {
        try service.setStage(id: id, rules[index].settings)
        words.append("stage \(id) set")
      } catch { service.remark("stage \(id): \(error)", .warning) }
    }
    let gone = kept[same...].map(\.id)
    for id in gone.reversed() { service.removeStage(id: id) }
    kept.removeLast(gone.count)
    var new: [String] = []
    for rule in rules[same...] {
      do throws(PlugInError) {
        let stage = try service.addStage(rule.plugin, to: rule.chain, id: rule.id, settings: rule.settings)
        kept.append((rule, stage.id))
        new.append(stage.id)
      } catch { service.remark("stage \(rule.plugin): \(error)", .warning) }
    }
    words += gone.filter { !new.contains($0) }.map { "without stage \($0)" }
    return words + new.filter { !gone.contains($0) }.map { "with stage \($0)" }
  }
}

extension StageRule {
  /// Returns whether both are the same stage, perhaps with other settings. A port that is no longer set returns to the plug-in's own value,
  /// which requires a new stage.
  fileprivate func isSame(as other: StageRule) -> Bool {
    chain == other.chain && plugin == other.plugin && id == other.id && Set(settings.keys).isSubset(of: other.settings.keys)
  }
}
