import PipeWireClient
import SessionModel

/// Which streams are others' (D3): what plays straight to the real speaker, and is no part of the call.
enum OtherStreams {
  /// Roles that are let alone: other calls, and what is read aloud to somebody who cannot see.
  private static let letAlone: Set = ["communication", "phone", "accessibility", "a11y"]

  /// - Parameter ownClients: nearend, and whoever records from it or plays into it: what else they play is their side of the call.
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
