import Foundation
import SimulatedHardware

/// A session's graph at one instant, from `pw-dump`.
struct GraphDump {
  struct Node {
    let id: Int
    /// Unlike an id, never reused.
    let serial: Int
    let name: String
    let mediaClass: String
    /// "running", "idle", "suspended", …
    let state: String
  }
  struct Link: Hashable {
    let id: Int
    /// Unlike an id, never reused.
    let serial: Int
    /// `node:port`
    let from: String
    let to: String
    /// "active", "paused", …
    let state: String
  }

  /// The latency that a port reports ahead of or behind it.
  struct PortLatency: Equatable {
    let isInput: Bool
    let frames: Int
  }

  private(set) var nodes: [Node] = []
  private var latencies: [String: [PortLatency]] = [:]
  private(set) var links: [Link] = []

  init(_ session: PrivateSession) throws {
    let text = try session.run("pw-dump", []).output
    // If an object is removed meanwhile, pw-dump prints a second document.
    let objects = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [[String: Any]] ?? []
    var portNames: [Int: String] = [:]
    for object in objects where object["type"] as? String == "PipeWire:Interface:Node" {
      let info = object["info"] as? [String: Any] ?? [:]
      let properties = info["props"] as? [String: Any] ?? [:]
      nodes.append(
        Node(
          id: object["id"] as? Int ?? -1, serial: properties["object.serial"] as? Int ?? -1, name: properties["node.name"] as? String ?? "",
          mediaClass: properties["media.class"] as? String ?? "", state: info["state"] as? String ?? ""))
    }
    let nodeNames = Dictionary(uniqueKeysWithValues: nodes.map { ($0.id, $0.name) })
    for object in objects where object["type"] as? String == "PipeWire:Interface:Port" {
      let properties = (object["info"] as? [String: Any])?["props"] as? [String: Any] ?? [:]
      guard let id = object["id"] as? Int, let node = properties["node.id"] as? Int else { continue }
      let name = "\(nodeNames[node] ?? "?"):\(properties["port.name"] as? String ?? "?")"
      portNames[id] = name
      let params = (object["info"] as? [String: Any])?["params"] as? [String: Any] ?? [:]
      latencies[name] = (params["Latency"] as? [[String: Any]] ?? []).map {
        PortLatency(isInput: $0["direction"] as? String == "Input", frames: $0["maxRate"] as? Int ?? -1)
      }
    }
    for object in objects where object["type"] as? String == "PipeWire:Interface:Link" {
      let info = object["info"] as? [String: Any] ?? [:]
      guard let id = object["id"] as? Int, let from = info["output-port-id"] as? Int, let to = info["input-port-id"] as? Int else {
        continue
      }
      let properties = info["props"] as? [String: Any] ?? [:]
      links.append(
        Link(
          id: id, serial: properties["object.serial"] as? Int ?? -1, from: portNames[from] ?? "?", to: portNames[to] ?? "?",
          state: info["state"] as? String ?? ""))
    }
  }

  func node(_ name: String) -> Node? { nodes.first { $0.name == name } }
  func link(_ from: String, _ to: String) -> Link? { links.first { $0.from == from && $0.to == to } }
  /// The latencies of the port `node:port`, in both directions.
  func latencies(of port: String) -> [PortLatency] { latencies[port] ?? [] }
  func links(from node: String) -> [Link] { links.filter { $0.from.hasPrefix("\(node):") } }
  func links(to node: String) -> [Link] { links.filter { $0.to.hasPrefix("\(node):") } }
  /// Links with nearend's filter or one of its devices.
  var oursLinks: [Link] { links.filter { isOurs($0.from) || isOurs($0.to) } }
  var ourNodes: [Node] { nodes.filter { isOurs($0.name) } }

  private func isOurs(_ name: String) -> Bool { name.hasPrefix("nearend:") || name == "nearend" || name.hasPrefix("nearend.") }
}
