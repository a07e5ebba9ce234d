internal import CHostileClient
import PipeWireClient

/// Reads the volumes of every hostile node with nearend's own reader, and counts them: nearend itself reads only those of devices in use
/// and of streams that it ducks.
final class VolumeWitness {
  private let socket: String
  private let loop = ThreadLoop(name: "witness")
  private var connection: Connection?
  private var isLost = false
  private var volumes: [UInt32: NodeVolumes] = [:]
  /// Counts incoming Props without parsing them.
  private var ear: OpaquePointer?
  private var heardBefore = 0
  private var accepted = 0
  private var connections = 0
  private var absurd: [Float]?

  init(socket: String) throws {
    self.socket = socket
    try loop.start()
  }

  deinit {
    loop.stop()
    loop.locked { disconnect() }
    if let ear { hc_disconnect(ear) }
  }

  private func disconnect() {
    volumes = [:]
    connection = nil
  }

  /// Connects if it is not connected.
  func connectIfNeeded() {
    if let ear, !hc_is_connected(ear) {
      heardBefore += Int(hc_heard(ear))
      hc_disconnect(ear)
      self.ear = nil
    }
    ear = ear ?? hc_connect_ear(socket)
    loop.locked {
      if isLost { disconnect() }
      guard connection == nil else { return }
      isLost = false
      connection = try? Connection(loop: loop, remote: socket) { [weak self] in self?.handle($0) }
    }
  }

  private func handle(_ event: Connection.Event) {
    switch event {
    case .added(let node) where node.kind == .node && node.nodeName?.hasPrefix("hostile.") == true:
      guard let connection else { return }
      volumes[node.id] = try? NodeVolumes(connection, id: node.id) { [weak self] in self?.volumesChanged(node.id) }
    case .added(let client) where client.kind == .client && client.properties["application.name"] == HostileClient.nearend: connections += 1
    case .removed(let object): volumes[object.id] = nil
    case .lost: isLost = true
    default: break
    }
  }

  private func volumesChanged(_ id: UInt32) {
    guard let setting = volumes[id]?.setting else { return }
    accepted += 1
    let isHeard = !setting.channels.isEmpty && setting.channels.count <= 64 && setting.channels.allSatisfy { (0...100).contains($0) }
    if !isHeard { absurd = setting.channels }
  }

  /// The number of Props received, and of those in which nearend's reader found volumes.
  var counts: (heard: Int, accepted: Int) { (heardBefore + (ear.map { Int(hc_heard($0)) } ?? 0), loop.locked { accepted }) }

  /// The number of connections that nearend has made; it also makes a new one if a card or metadata object that it queried has gone.
  var nearendConnections: Int { loop.locked { connections } }

  /// Absurd volumes that the reader let through; nil if there are none.
  var absurdVolumes: [Float]? { loop.locked { absurd } }
}
