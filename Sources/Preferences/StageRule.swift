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
      fail(key, "unknown stage key '\(key.printable())'; valid keys: \(keys.joined(separator: ", "))")
    }
    let chain = table["chain"]?.string.flatMap(PlugInChain.init)
    if chain == nil { fail("chain", "chain is missing or invalid: give \"capture\" or \"render\"") }
    let address = table["plugin"]?.string.flatMap { try? PlugInAddress($0) }
    if address == nil { fail("plugin", "a stage has a plugin: give \"FILE:LABEL\", such as \"amp_1181:amp\"") }
    var id: String?
    if let value = table["id"] {
      id = value.string
      let problem = id.map { IdRule.problem($0) } ?? "give a text"
      if let problem { fail("id", "invalid stage id: \(problem)") }
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
