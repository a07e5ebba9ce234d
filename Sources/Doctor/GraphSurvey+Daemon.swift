import PipeWireClient

extension GraphSurvey {
  /// Asks the daemon. Waits for its answer, and a moment for the session manager's. [any]
  /// - Throws: `PipeWireError` where no daemon answers.
  public static func take(remote: String? = nil) throws -> GraphSurvey {
    let loop = ThreadLoop(name: "nearend-doctor")
    let inquiry = SurveyInquiry(loop: loop, remote: remote)
    loop.start()
    defer {
      // First its thread ends: it may be about to call, without the lock, what is destroyed here.
      loop.stop()
      loop.locked { inquiry.end() }
    }
    return try loop.locked { () throws(PipeWireError) in try inquiry.survey() }
  }
}

/// What is asked of a daemon, from the question to `end`. [control]
private final class SurveyInquiry {
  private let loop: ThreadLoop
  private let remote: String?
  private var connection: Connection?
  /// Over a connection of its own: who asks for metadata is told nothing more before the session manager has answered.
  private var second: Connection?
  private var metadata: [String: Metadata] = [:]

  private static let client: Properties = ["application.name": "Nearend Doctor"]

  init(loop: ThreadLoop, remote: String?) {
    self.loop = loop
    self.remote = remote
  }

  func end() { (metadata, second, connection) = ([:], nil, nil) }

  func survey() throws(PipeWireError) -> GraphSurvey {
    let connection = try Connection(loop: loop, remote: remote, properties: Self.client) { _ in }
    self.connection = connection
    guard connection.roundTrip() else { throw PipeWireError(code: .noDaemon, description: "the PipeWire daemon does not answer") }
    var survey = GraphSurvey()
    survey.daemonVersion = connection.daemonVersion
    let clients = Dictionary(connection.objects(of: .client).map { ($0.id, $0.properties) }) { first, _ in first }
    for object in connection.objects(of: .node).sorted(by: { $0.serial < $1.serial }) {
      let client = object.id("client.id")
      survey.nodes.append(
        GraphSurvey.Node(
          id: object.id, name: object.nodeName ?? "", description: object.properties["node.description"] ?? "",
          mediaClass: object.properties["media.class"] ?? "",
          application: object.properties["application.name"] ?? client.flatMap { clients[$0]?["application.name"] } ?? "", client: client))
    }
    survey.links = Set(
      connection.objects(of: .link).compactMap { link in
        guard let from = link.id("link.output.node"), let to = link.id("link.input.node") else { return nil }
        return GraphSurvey.Link(from: from, to: to)
      })
    let filter = survey.nodes.last { $0.name == "nearend" }
    survey.nearendProcess = filter?.client.flatMap { clients[$0]?["pipewire.sec.pid"] }.flatMap { Int32($0) }
    try askMetadata(connection)
    survey.hasSessionManager = metadata["default"] != nil
    let defaults = metadata["default"]?.values ?? [:]
    survey.defaultSink = Metadata.name(in: defaults["default.audio.sink"])
    survey.defaultSource = Metadata.name(in: defaults["default.audio.source"])
    survey.forcedQuantum = metadata["settings"]?.values["clock.force-quantum"].flatMap { Int($0) } ?? 0
    return survey
  }

  private func askMetadata(_ connection: Connection) throws(PipeWireError) {
    let second = try Connection(loop: loop, remote: remote, properties: Self.client) { _ in }
    self.second = second
    for (name, keys) in [
      ("settings", ["clock.force-quantum"]), ("default", ["default.audio.sink", "default.audio.source"]),
    ] as [(String, Set<String>)] {
      guard let object = connection.objects(of: .metadata).first(where: { $0.properties["metadata.name"] == name }) else { continue }
      metadata[name] = try Metadata(second, object: object, keys: keys) { _ in }
      // A session manager may hang.
      second.roundTrip(timeout: 1)
    }
  }
}
