import PipeWireClient

/// Finds the clients of the programs that use nearend through its library: whatever else these play belongs to the call, as what is played
/// into nearend does. [control]
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

  private var knownStreams: Int { streams.count { infos[$0]?.isKnown == true } }

  /// Whose a stream is never changes, however often its other properties do.
  private func described() {
    guard knownStreams > known else { return }
    known = knownStreams
    changed()
  }
}
