import PipeWireClient
import SessionModel

/// Finds the streams of programs, and the clients of those that use nearend through its library: whatever else these play belongs to the
/// call, as what is played into nearend does. [control]
final class ProgramWatch {
  private let connection: Connection
  private let changed: () -> Void
  private var infos: NodeInfos
  private var streams: [GlobalObject] = []
  /// How many of the streams the daemon has described.
  private var known = 0

  /// `changed` is called when the daemon has described one more stream.
  init(_ connection: Connection, changed: @escaping () -> Void) {
    self.connection = connection
    self.changed = changed
    infos = NodeInfos(connection)
  }

  /// Returns the clients of these processes: those that connect by themselves, and those for which the PulseAudio server does, which says
  /// whose each stream is.
  func clients(of processes: Set<Int>, in objects: GraphObjects) throws(PipeWireError) -> Set<UInt32> {
    func isOne(_ process: String?) -> Bool { process.flatMap { Int($0) }.map { processes.contains($0) } ?? false }
    var clients = Set(connection.objects.values.filter { $0.kind == .client && isOne($0.properties["pipewire.sec.pid"]) }.map(\.id))
    streams = objects.nodes.filter { $0.properties["media.class"]?.hasPrefix("Stream/") == true }
    try infos.watch(streams) { [weak self] in self?.described() }
    known = knownStreams
    for stream in streams where isOne(infos[stream]?.properties["application.process.id"]) {
      if let client = stream.id("client.id") { clients.insert(client) }
    }
    return clients
  }

  /// Returns the streams, of those last looked for, that play or record sound: neither meters nor recordings of what a speaker plays.
  /// - Parameter target: where the session was told to send a stream.
  func programs(target: (GlobalObject) -> String?) -> [ProgramStream] {
    streams.compactMap { stream in
      guard let direction = Self.directions[stream.properties["media.class"] ?? ""], let info = infos[stream], info.isKnown else {
        return nil
      }
      let said = info.properties
      guard said["stream.monitor"] != "true", said["stream.capture.sink"] != "true" else { return nil }
      var names: [String] = []
      for key in ["application.name", "application.process.binary", "node.name", "application.id"] {
        if let name = said[key], !name.isEmpty, !names.contains(name) { names.append(name) }
      }
      return ProgramStream(
        id: stream.id, serial: stream.serial, direction: direction, names: names.isEmpty ? ["node \(stream.id)"] : names,
        target: target(stream))
    }
  }

  /// Returns the programs that play or record now, in the order of their names, at most 64.
  func status(in objects: GraphObjects, used: UsedPrograms) -> [ProgramStatus] {
    var all: [String: ProgramStatus] = [:]
    let peers = Dictionary(grouping: objects.links.flatMap { [($0.outputNode, $0.inputNode), ($0.inputNode, $0.outputNode)] }) { $0.0 }
    for stream in programs(target: { _ in nil }) {
      let name = stream.names[0]
      let devices = Set((peers[stream.id] ?? []).compactMap { objects.node(id: $0.1)?.nodeName })
      var program = all[name] ?? ProgramStatus(name: name)
      program.isUsed = program.isUsed || used.include(stream)
      if stream.direction == .output { program.plays = devices.union(program.plays).sorted() }
      if stream.direction == .input { program.records = devices.union(program.records).sorted() }
      all[name] = program
    }
    return Array(all.values.sorted { $0.name < $1.name }.prefix(64))
  }

  private static let directions: [String: Device.Direction] = ["Stream/Output/Audio": .output, "Stream/Input/Audio": .input]

  private var knownStreams: Int { streams.count { infos[$0]?.isKnown == true } }

  /// Whose a stream is never changes, however often its other properties do.
  private func described() {
    guard knownStreams > known else { return }
    known = knownStreams
    changed()
  }
}
