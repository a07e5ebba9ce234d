import Foundation
import PipeWireClient
import SessionModel

/// Watches volume and mute of *Nearend Microphone*, *Nearend Speaker* and the real devices, as mixers and switches set them (D1). [control]
final class VolumeWatch {
  private let connection: Connection
  private let changed: () -> Void
  private var nodes: [UInt32: NodeVolumes] = [:]
  /// Volumes and mutes as mixers show them.
  private var statuses: [UInt32: VolumeStatus] = [:]

  /// `changed` is called when a volume or mute was set.
  init(_ connection: Connection, changed: @escaping () -> Void) {
    self.connection = connection
    self.changed = changed
  }

  /// Drops a removed node, because its id may be reused.
  func removed(_ id: UInt32) {
    nodes[id] = nil
    statuses[id] = nil
  }

  /// Watches exactly these nodes.
  /// - Throws: `connectionLost`.
  func watch(_ ids: [UInt32]) throws(PipeWireError) {
    for id in nodes.keys where !ids.contains(id) { removed(id) }
    for id in ids where nodes[id] == nil {
      nodes[id] = try NodeVolumes(connection, id: id) { [weak self] in self?.volumesChanged(id) }
    }
  }

  /// Compares with the last status, because Props also change for other reasons.
  private func volumesChanged(_ id: UInt32) {
    guard let setting = nodes[id]?.setting else { return }
    let now = VolumeStatus(volume: cbrt(Double(setting.volume)), isMuted: setting.isMuted)
    guard now != statuses[id] else { return }
    statuses[id] = now
    changed()
  }

  /// Suspends a device that no longer has links, once.
  func suspend(_ id: UInt32) { nodes[id]?.suspend() }

  /// Returns the linear gain of a node, 0 if it is muted; nil until known.
  func gain(_ id: UInt32?) -> Double? {
    guard let id, let setting = nodes[id]?.setting else { return nil }
    return setting.isMuted ? 0 : Double(setting.volume)
  }

  /// Returns the status as mixers show it; full volume and unmuted until known.
  func status(_ id: UInt32?) -> VolumeStatus { id.flatMap { statuses[$0] } ?? VolumeStatus() }
}
