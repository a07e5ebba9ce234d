import Foundation
import PipeWireClient
import SessionModel

/// Volume and mute of *Nearend Microphone*, *Nearend Speaker* and the real microphone, as mixers and switches set them (D1). [control]
final class VolumeWatch {
  private let connection: Connection
  private let changed: () -> Void
  private var nodes: [UInt32: NodeVolume] = [:]

  /// `changed` is called when one was set.
  init(_ connection: Connection, changed: @escaping () -> Void) {
    self.connection = connection
    self.changed = changed
  }

  /// A node is gone; its id may come back as another's.
  func removed(_ id: UInt32) { nodes[id] = nil }

  /// Watches these nodes from now on.
  /// - Throws: `connectionLost`.
  func watch(_ ids: [UInt32]) throws(PipeWireError) {
    nodes = nodes.filter { ids.contains($0.key) }
    for id in ids where nodes[id] == nil { nodes[id] = try NodeVolume(connection, id: id, changed: changed) }
  }

  /// Closes a device that is not linked to anything any more, once.
  func suspend(_ id: UInt32) { nodes[id]?.suspend() }

  /// As mixers show it.
  func status(_ id: UInt32?) -> VolumeStatus {
    guard let node = id.flatMap({ nodes[$0] }) else { return VolumeStatus() }
    return VolumeStatus(volume: cbrt(node.volume), isMuted: node.isMuted)
  }
}
