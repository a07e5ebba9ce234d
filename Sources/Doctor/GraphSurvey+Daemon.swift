import PipeWireClient

extension DoctorFacts {
  /// Reads the daemon's graph, or why there is none. [any]
  package mutating func readGraph() {
    do throws(PipeWireError) {
      graph = try GraphSurvey.query()
    } catch {
      (asksDaemon, daemonProblem, daemonRemedy) = (error.code != .refused, error.description, error.remedy)
    }
  }
}

extension GraphSurvey {
  /// Asks the daemon. Waits for its answer, and briefly for the session manager's. [any]
  /// - Throws: `noDaemon` if no daemon answers.
  package static func query(remote: String? = nil) throws(PipeWireError) -> GraphSurvey {
    try DaemonInquiry.run(thread: "nearend-doctor", remote: remote, properties: ["application.name": "Nearend Doctor"]) {
      (inquiry, connection) throws(PipeWireError) in
      var survey = GraphSurvey(connection)
      let metadata = try Self.metadata(connection, inquiry)
      survey.hasSessionManager = metadata["default"] != nil
      let defaults = metadata["default"]?.values ?? [:]
      survey.defaultSink = Metadata.name(in: defaults["default.audio.sink"])
      survey.defaultSource = Metadata.name(in: defaults["default.audio.source"])
      survey.forcedQuantum = metadata["settings"]?.values["clock.force-quantum"].flatMap { Int($0) } ?? 0
      return survey
    }
  }

  /// Reads the daemon's registry.
  private init(_ connection: Connection) {
    self.init()
    daemonVersion = connection.daemonVersion
    let clients = Dictionary(connection.objects(of: .client).map { ($0.id, $0.properties) }) { first, _ in first }
    let outputs = connection.objects(of: .port).filter {
      $0.properties["port.direction"] == "out" && $0.properties["port.monitor"] != "true"
    }
    let counts = Dictionary(outputs.compactMap { port in port.id("node.id").map { ($0, 1) } }, uniquingKeysWith: +)
    for object in connection.objects(of: .node).sorted(by: { $0.serial < $1.serial }) {
      let client = object.id("client.id")
      nodes.append(
        GraphSurvey.Node(
          id: object.id, name: object.nodeName ?? "", description: object.properties["node.description"] ?? "",
          mediaClass: object.properties["media.class"] ?? "",
          application: object.properties["application.name"] ?? client.flatMap { clients[$0]?["application.name"] } ?? "", client: client,
          outputs: counts[object.id] ?? 0))
    }
    links = Set(
      connection.objects(of: .link).compactMap { link in
        guard let from = link.id("link.output.node"), let to = link.id("link.input.node") else { return nil }
        return GraphSurvey.Link(from: from, to: to)
      })
    let filter = nodes.last { $0.name == "nearend" }
    nearendProcess = filter?.client.flatMap { clients[$0]?["pipewire.sec.pid"] }.flatMap { Int32($0) }
  }

  private static func metadata(_ connection: Connection, _ inquiry: DaemonInquiry) throws(PipeWireError) -> [String: Metadata] {
    let second = try inquiry.connect()
    var metadata: [String: Metadata] = [:]
    for (name, keys) in [
      ("settings", ["clock.force-quantum"]), ("default", ["default.audio.sink", "default.audio.source"]),
    ] as [(String, Set<String>)] {
      guard let object = connection.objects(of: .metadata).first(where: { $0.properties["metadata.name"] == name }) else { continue }
      metadata[name] = inquiry.keep(try Metadata(second, object: object, keys: keys) { _ in })
      // A session manager may hang.
      second.roundTrip(timeout: 1)
    }
    return metadata
  }
}
