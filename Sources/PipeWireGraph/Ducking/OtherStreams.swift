import PipeWireClient
import SessionModel

/// Selects the streams to duck (D3): those that play directly to the real speaker and are not part of the call.
enum OtherStreams {
  /// Roles that are never ducked: other calls, and screen readers.
  private static let letAlone: Set = ["communication", "phone", "accessibility", "a11y"]

  /// - Parameter ownClients: nearend, the clients that record from it or play into it, and the programs on its library: their other streams
  /// belong to the call.
  static func find(in objects: GraphObjects, speaker: UInt32?, ownClients: Set<UInt32>) -> [GlobalObject] {
    guard let speaker else { return [] }
    let players = Set(objects.links.filter { $0.inputNode == speaker }.map(\.outputNode))
    return objects.nodes.filter { node in
      guard players.contains(node.id), node.properties["media.class"] == "Stream/Output/Audio" else { return false }
      if let client = node.id("client.id"), ownClients.contains(client) { return false }
      return !letAlone.contains(node.properties["media.role"]?.lowercased() ?? "")
    }
  }
}

extension DuckedStream {
  init(_ node: GlobalObject) {
    let name = node.nodeName ?? ""
    self.init(serial: node.serial, node: name, application: node.properties["application.name"] ?? name)
  }
}
