import PipeWireClient
import RealtimeCore
import Synchronization

/// Listens in the graph, with a connection of its own: to every real speaker by its monitor, to the microphone in use, and as an
/// application to *Nearend Microphone*. Each listener is a node of its own, so that none joins two clocks, and keeps no device running. The
/// witness reconnects when the daemon returns.
///
/// `@unchecked Sendable`: everything mutable is accessed on the loop's thread or inside `loop.locked`.
final class Witness: @unchecked Sendable {
  /// The sum of all real speakers.
  let speakers = SoundTrack(threshold: 0.001)
  /// What a recording application receives; nearend puts out zeros while no microphone is open.
  let voice = SoundTrack(threshold: 1e-7)
  let microphone = SoundTrack(threshold: 0)

  private final class Ear {
    let track: SoundTrack
    let from: UInt32
    let isPassive: Bool
    let node: UInt32
    var filter: Filter?
    var port: UnsafeMutableRawPointer?
    var link: RemoteObject?
    var name = ""
    /// A Boolean value indicating whether it is to go, as soon as the daemon can handle that.
    var isOver = false
    /// This cycle's samples: the monitor of a device that goes is unmapped in mid-cycle.
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: CycleProcessor.maximumQuantum)
    deinit {
      // A filter that goes before its link leaves its driver's memory known to the daemon (0.3.65) by a descriptor, which later stands for
      // another's buffers: they are then too short, or silent.
      link = nil
      // Ends the callbacks.
      filter = nil
      samples.deallocate()
    }
    init(_ track: SoundTrack, node: UInt32, from: UInt32, isPassive: Bool) {
      (self.track, self.node, self.from, self.isPassive) = (track, node, from, isPassive)
    }
  }
  private let socket: String
  private let loop = ThreadLoop(name: "witness")
  private var connection: Connection?
  /// By the serial of the port listened to.
  private var ears: [UInt64: Ear] = [:]
  private var suspensions: SuspensionWatch?
  private var inquiry: LinkInquiry?
  private var retry: LoopTimer?
  private var signal: LoopSignal?
  private var records = false
  /// The number of the last listener.
  private var number = 0
  private var microphoneName = ""

  init(socket: String) throws {
    self.socket = socket
    try loop.start()
    loop.locked {
      retry = LoopTimer(loop: loop) { [unowned self] in attach() }
      signal = LoopSignal(loop: loop) { [unowned self] in listen() }
      attach()
    }
  }

  deinit { stop() }

  func stop() {
    // First, because the thread may be about to use what is destroyed here.
    loop.stop()
    loop.locked {
      retry = nil
      signal = nil
      detach()
    }
  }

  /// Starts or stops recording from *Nearend Microphone*.
  func record(_ isOn: Bool) {
    loop.locked {
      records = isOn
      listen()
    }
  }

  /// Listens to this real microphone.
  func listen(toMicrophone name: String) {
    loop.locked {
      microphoneName = name
      listen()
    }
  }

  /// Serials of nodes by name; a recreated node has a new serial.
  func serials(_ isWanted: (String) -> Bool) -> [String: UInt64] {
    loop.locked {
      Dictionary((connection?.objects(of: .node).map { ($0.nodeName ?? "", $0.serial) } ?? []).filter { isWanted($0.0) }) { max($0, $1) }
    }
  }

  /// Returns whether a node exists, with a port to play to or to record from.
  func hasPorts(_ name: String) -> Bool {
    loop.locked { connection?.objects(of: .port).contains { self.node(of: $0)?.nodeName == name } ?? false }
  }

  // MARK: The daemon

  private func attach() {
    detach()
    do {
      connection = try Connection(loop: loop, remote: socket, properties: ["application.name": "witness"]) { [unowned self] event in
        switch event {
        case .added, .removed: signal?.raise()
        // Not inside the connection's own event.
        case .lost: retry?.schedule(after: 0.02)
        case .full, .failed: break
        }
      }
      suspensions = connection.map { SuspensionWatch($0) { [unowned self] in signal?.raise() } }
      inquiry = connection.map { LinkInquiry($0) { [unowned self] in signal?.raise() } }
    } catch {
      retry?.schedule(after: 0.05)
    }
  }

  private func detach() {
    ears = [:]
    suspensions = nil
    inquiry = nil
    connection = nil
  }

  private func node(of port: GlobalObject) -> GlobalObject? { port.id("node.id").flatMap { connection?.objects[$0] } }

  private func listen() {
    guard let connection else { return }
    var wanted: [UInt64: (node: UInt32, port: UInt32, track: SoundTrack, isPassive: Bool)] = [:]
    var own: [String: UInt32] = [:]
    for port in connection.objects(of: .port) {
      guard let node = node(of: port), let name = node.nodeName, let portName = port.properties["port.name"] else { continue }
      let isFirst = portName.hasSuffix("_FL") || portName.hasSuffix("_MONO") || portName.hasSuffix("_AUX0")
      if name.hasPrefix("room.ear.") {
        own[name] = port.id
      } else if name == "nearend.microphone", portName.hasPrefix("capture_"), records {
        wanted[port.serial] = (node.id, port.id, voice, false)
      } else if name.hasPrefix("nearend") || name.hasPrefix("room.") || !isFirst {
        continue
      } else if portName.hasPrefix("monitor_"), node.properties["media.class"] == "Audio/Sink" {
        wanted[port.serial] = (node.id, port.id, speakers, true)
      } else if portName.hasPrefix("capture_"), name == microphoneName {
        wanted[port.serial] = (node.id, port.id, microphone, true)
      }
    }
    // PipeWire may leave a link dead after its device was suspended; for an application, a session manager would make it anew.
    let suspended = (try? suspensions?.unrevived(among: Set(wanted.values.map(\.node)))) ?? []
    for (serial, ear) in ears where wanted[serial] == nil || suspended.contains(ear.node) { ear.isOver = true }
    let over = ears.filter { $0.value.isOver }
    if (try? inquiry?.mayEnd(over.values.compactMap(\.link))) == true { for serial in over.keys { ears[serial] = nil } }
    for (serial, (node, port, track, isPassive)) in wanted {
      let ear = ears[serial] ?? make(serial, Ear(track, node: node, from: port, isPassive: isPassive))
      if ear.isOver { continue }
      guard let to = own[ear.name], ear.link == nil || ear.link?.isRemoved == true || ear.link?.failure != nil else { continue }
      ear.link = try? RemoteObject.link(connection, from: ear.from, to: to, isPassive: isPassive) { [weak self] link in
        if link.isRemoved { self?.signal?.raise() }
      }
    }
  }

  /// Named like the room's own nodes, which treats a device that only these listen to as unused.
  private func make(_ serial: UInt64, _ ear: Ear) -> Ear {
    ears[serial] = ear
    guard let connection else { return ear }
    let properties = ear.isPassive ? ["node.passive": "true"] : [:]
    number += 1
    ear.name = "room.ear.\(number)"
    let data = Unmanaged.passUnretained(ear).toOpaque()
    ear.filter = try? Filter(connection, name: ear.name, properties: properties, data: data, process: Self.hear) { _ in }
    ear.port = try? ear.filter?.addPort(.input, name: "in").pointer
    try? ear.filter?.connect()
    return ear
  }

  private static let hear: Filter.Process = { data, cycle in
    guard let data, let cycle else { return }
    let ear = Unmanaged<Ear>.fromOpaque(data).takeUnretainedValue()
    let now = Cycle(cycle)
    guard let port = ear.port, now.frames <= CycleProcessor.maximumQuantum else { return }
    guard copyInput(port, to: ear.samples, frames: now.frames) else { return }
    ear.track.add(ear.samples, now)
  }
}
