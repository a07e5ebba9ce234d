import PipeWireClient
import Platform
import SessionModel

/// The devices that applications see: *Nearend Speaker*, *Nearend Microphone*, and one for each participant with its own device (K9). Thin
/// adapters that end with the connection; one that another client removes is made again. [control]
final class VirtualDevices {
  private let connection: Connection
  private var objects: [String: RemoteObject] = [:]
  /// Whether *Nearend Microphone* was made with two channels.
  private var isStereo = false
  private var retries = RetrySchedule<String>()
  private let changed: () -> Void
  private let failed: (String) -> Void

  /// `changed` is called when a device appeared or disappeared; `failed` with its name and the daemon's reason, once each.
  init(_ connection: Connection, changed: @escaping () -> Void, failed: @escaping (String) -> Void) {
    self.connection = connection
    self.changed = changed
    self.failed = failed
  }

  /// The id of nearend's device of that name; nil until known.
  func id(of name: String) -> UInt32? { objects[name].flatMap { $0.isRemoved ? nil : $0.id } }

  /// The earliest time to retry a refused device, CLOCK_MONOTONIC in ns.
  var nextRetry: UInt64? { retries.next }

  /// Makes missing devices and removes those that are no longer wanted.
  /// - Parameters:
  ///   - sinks: the participants' ids.
  ///   - isStereo: whether *Nearend Microphone* has two channels (V16); when that changes it is made anew, because a node's channels cannot
  ///     change.
  func keep(sinks: [String], isStereo: Bool) throws(PipeWireError) {
    let wanted = [Self.speaker, Self.microphone(isStereo: isStereo)] + sinks.map(Self.sink)
    if isStereo != self.isStereo {
      self.isStereo = isStereo
      objects[NodeNames.microphone] = nil
    }
    let names = Set(wanted.map { $0["node.name"] ?? "" })
    let now = monotonicNanoseconds()
    retries.keep { names.contains($0) }
    objects = objects.filter { names.contains($0.key) && !$0.value.isRemoved && $0.value.failure == nil }
    for properties in wanted {
      let name = properties["node.name"] ?? ""
      guard objects[name] == nil, retries.mayTry(name, at: now) else { continue }
      objects[name] = try RemoteObject.virtualDevice(connection, properties: properties) { [weak self] in self?.answered(name, $0) }
    }
  }

  private func answered(_ name: String, _ object: RemoteObject) {
    if let failure = object.failure {
      if retries.refused(name, at: monotonicNanoseconds()) { failed("\(name): \(failure)") }
    } else if object.id != nil {
      retries.succeeded(name)
    }
    changed()
  }

  /// Low priorities: neither default nor driver unless there is nothing else.
  /// Their output has the volume that mixers set (D1), and the latency of what is before them (V8), which newer PipeWires have to be asked
  /// for.
  private static let common: Properties = [
    "priority.session": "10", "priority.driver": "1", "node.virtual": "true", "monitor.channel-volumes": "true",
    "monitor.passthrough": "true",
  ]

  /// With a link group each is a filter for the session manager, which `SmartFilters` may make smart; a program can choose it all the same.
  private static let filter: Properties = ["filter.smart.name": "nearend", "filter.smart.targetable": "true"]

  private static let speaker = common.merging(filter) { $1 }.merging([
    "node.name": NodeNames.speaker, "node.description": "Nearend Speaker", "media.class": "Audio/Sink", "audio.position": "FL,FR",
    "device.icon-name": "audio-speakers", "node.link-group": "nearend.speaker",
  ]) { $1 }

  private static func microphone(isStereo: Bool) -> Properties {
    microphone.merging(["audio.position": isStereo ? "FL,FR" : "MONO"]) { $1 }
  }

  private static let microphone = common.merging(filter) { $1 }.merging([
    "node.name": NodeNames.microphone, "node.description": "Nearend Microphone", "media.class": "Audio/Source/Virtual",
    "device.icon-name": "audio-input-microphone", "node.link-group": "nearend.microphone",
  ]) { $1 }

  private static func sink(_ id: String) -> Properties {
    common.merging([
      "node.name": NodeNames.sinkPrefix + id, "node.description": "Nearend: \(id)", "media.class": "Audio/Sink", "audio.position": "FL,FR",
    ]) { $1 }
  }
}
