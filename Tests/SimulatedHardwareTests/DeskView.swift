import Foundation

@testable import SimulatedHardware

/// A desk as any client sees it: devices and their nodes, from `pw-dump`.
struct DeskView {
  struct Object {
    var id: Int
    var properties: [String: String]
    /// The active profile's name; below, the active routes with their port types, and the availability of every route.
    var profile = ""
    var routes: [String: String] = [:]
    var availability: [String: String] = [:]
    var state = ""

    subscript(key: String) -> String? { properties[key] }
  }
  var devices: [Object] = []
  var nodes: [Object] = []

  init(_ session: PrivateSession) throws {
    let dump = try session.run("pw-dump", []).output
    let objects = (try? JSONSerialization.jsonObject(with: Data(dump.utf8))) as? [[String: Any]] ?? []
    for object in objects {
      guard let info = object["info"] as? [String: Any], let properties = info["props"] as? [String: Any] else { continue }
      var view = Object(id: object["id"] as? Int ?? -1, properties: properties.mapValues { "\($0)" })
      view.state = info["state"] as? String ?? ""
      let params = info["params"] as? [String: [[String: Any]]] ?? [:]
      view.profile = params["Profile"]?.first?["name"] as? String ?? ""
      for route in params["Route"] ?? [] {
        let details = (route["info"] as? [Any] ?? []).compactMap { $0 as? String }
        view.routes[route["name"] as? String ?? ""] = details.firstIndex(of: "port.type").map { details[$0 + 1] }
      }
      for route in params["EnumRoute"] ?? [] { view.availability[route["name"] as? String ?? ""] = route["available"] as? String }
      switch object["type"] as? String {
      case "PipeWire:Interface:Device": devices.append(view)
      case "PipeWire:Interface:Node" where view["device.id"] != nil: nodes.append(view)
      default: break
      }
    }
  }

  func device(_ kind: DeskCard.Kind) -> Object? { devices.first { $0["device.name"] == DeskCard.make(kind).name } }

  var nodeNames: Set<String> { Set(nodes.compactMap { $0["node.name"] }) }
  var nodeIds: Set<Int> { Set(nodes.map(\.id)) }
}
