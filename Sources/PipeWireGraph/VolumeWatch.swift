import Foundation
import PipeWireClient
import SessionModel

/// Volume and mute of *Nearend Microphone*, *Nearend Speaker* and the real devices, as mixers and switches set them (D1). [control]
final class VolumeWatch {
  private let connection: Connection
  private let changed: () -> Void
  private var nodes: [UInt32: NodeVolumes] = [:]
  /// As mixers show them.
  private var statuses: [UInt32: VolumeStatus] = [:]

  /// `changed` is called when one was set.
  init(_ connection: Connection, changed: @escaping () -> Void) {
    self.connection = connection
    self.changed = changed
  }

  /// A node is gone; its id may come back as another's.
  func removed(_ id: UInt32) {
    nodes[id] = nil
    statuses[id] = nil
  }

  /// Watches these nodes from now on.
  /// - Throws: `connectionLost`.
  func watch(_ ids: [UInt32]) throws(PipeWireError) {
    for id in nodes.keys where !ids.contains(id) { removed(id) }
    for id in ids where nodes[id] == nil {
      nodes[id] = try NodeVolumes(connection, id: id) { [weak self] in self?.told(id) }
    }
  }

  /// Props are told for other reasons, too.
  private func told(_ id: UInt32) {
    guard let setting = nodes[id]?.setting else { return }
    let now = VolumeStatus(volume: cbrt(Double(setting.volume)), isMuted: setting.isMuted)
    guard now != status(id) else { return }
    statuses[id] = now
    changed()
  }

  /// Closes a device that is not linked to anything any more, once.
  func suspend(_ id: UInt32) { nodes[id]?.suspend() }

  /// As mixers show it; full and not muted until the daemon has told.
  func status(_ id: UInt32?) -> VolumeStatus { id.flatMap { statuses[$0] } ?? VolumeStatus() }
}
