import PipeWireClient
import SessionModel

/// Moves streams that play nearend's sound back into it, such as those of a loopback between nearend's devices, to the real speaker.
/// [control]
///
/// Who hears oneself that way hears the same there, and the canceller's reference has it. A stream is moved once to each speaker in use: if
/// somebody moves it back, or the session manager does not follow, nearend's sink stays cut off.
final class LoopOpener {
  /// The speaker that each stream was moved to last; both by serial number.
  private var moved: [UInt64: UInt64] = [:]

  /// Returns what was done, in words.
  func open(_ loops: [GraphLoop], in objects: GraphObjects, speaker: RouteDevice, _ metadata: Metadata) -> [GraphEvent] {
    var events: [GraphEvent] = []
    let alive = Set(objects.nodes.map(\.serial))
    moved = moved.filter { alive.contains($0.key) }
    for loop in loops {
      guard let stream = objects.node(id: loop.stream), stream.isStream else { continue }
      guard moved.updateValue(speaker.serial, forKey: stream.serial) != speaker.serial else { continue }
      metadata.move(stream.id, to: "\(speaker.serial)")
      events.append(.remark(.info, "\(stream.nodeName ?? "node \(stream.id)") is moved to \(speaker.name): you hear yourself there"))
    }
    return events
  }
}
