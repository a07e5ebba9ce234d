import PipeWireClient
import SessionModel

/// The nodes of a graph that can be a route (R1): never nearend's own, a monitor, or one whose sound comes back.
struct RealDevices {
  private static let inputClasses: Set = ["Audio/Source", "Audio/Source/Virtual", "Audio/Duplex"]
  private static let outputClasses: Set = ["Audio/Sink", "Audio/Duplex"]

  let objects: GraphObjects
  let feedback: FeedbackGuard
  private let inputs, outputs: [GlobalObject]

  init(_ objects: GraphObjects) {
    let feedback = FeedbackGuard(objects)
    func nodes(_ classes: Set<String>, _ isUsable: (GlobalObject) -> Bool) -> [GlobalObject] {
      objects.nodes.filter { node in
        guard let name = node.nodeName, let mediaClass = node.properties["media.class"] else { return false }
        return classes.contains(mediaClass) && !NodeNames.isOurs(name) && isUsable(node)
      }
    }
    inputs = nodes(Self.inputClasses) { !feedback.feeds($0) }
    outputs = nodes(Self.outputClasses) { !feedback.isFed(by: $0) }
    (self.objects, self.feedback) = (objects, feedback)
  }

  /// Returns the nodes that sound of `direction` can come from or go to without feedback.
  func nodes(_ direction: Device.Direction) -> [GlobalObject] { direction == .input ? inputs : outputs }
}
