import PipeWireClient
import SessionModel

/// Selects the nodes that can be a route (R1): never nearend's own, a monitor, or one whose sound comes back.
enum RealDevices {
  private static let inputClasses: Set = ["Audio/Source", "Audio/Source/Virtual", "Audio/Duplex"]
  private static let outputClasses: Set = ["Audio/Sink", "Audio/Duplex"]

  /// Nodes that sound of `direction` can come from or go to without feedback.
  static func nodes(_ direction: Device.Direction, in objects: GraphObjects) -> [GlobalObject] {
    let classes = direction == .input ? inputClasses : outputClasses
    let feedback = FeedbackGuard(objects)
    return objects.nodes.filter { node in
      guard let name = node.nodeName, let mediaClass = node.properties["media.class"] else { return false }
      guard classes.contains(mediaClass), !NodeNames.isOurs(name) else { return false }
      return direction == .input ? !feedback.feeds(node) : !feedback.isFed(by: node)
    }
  }
}
