import PipeWireClient
import SessionModel

/// Moves streams that play the voice back into nearend, such as those of a loopback between nearend's devices, to the real speaker. [control]
///
/// Who hears oneself that way hears the same there, and the canceller's reference has it. A stream is moved once: if somebody moves it back,
/// or the session manager does not follow, nearend's sink stays cut off.
final class LoopOpener {
  /// Serial numbers of the streams that were moved.
  private var moved: Set<UInt64> = []

  func open(_ loops: [GraphLoop], in objects: GraphObjects, speaker: RouteDevice, _ metadata: Metadata) {
    moved.formIntersection(objects.nodes.map(\.serial))
    for loop in loops {
      guard let stream = objects.node(id: loop.stream), stream.isStream, moved.insert(stream.serial).inserted else { continue }
      metadata.move(stream.id, to: speaker.serial)
    }
  }
}
