import Platform
import SessionModel

extension ControlEndpoints {
  /// Requests of a call manager (S2), and for media that a program registers without audio of its own (L2).
  static let session = [
    ControlEndpoint("POST", "/activate") { try $0.sendActivation(.activatedExternally) },
    ControlEndpoint("POST", "/deactivate") { try $0.sendActivation(.deactivatedExternally) },
    ControlEndpoint("POST", "/media/:id", query: ["send", "receive", "program"]) { request in
      if let program = try request.program() { return try request.registerMedia(of: program) }
      try request.registerMedia()
    },
    ControlEndpoint("DELETE", "/media/:id") { try $0.unregisterMedia() },
    ControlEndpoint("POST", "/commands", query: ["program"]) { try $0.command() },
  ]
}

extension ControlRequest {
  fileprivate func sendActivation(_ event: SessionEvent) throws {
    guard service.session.current.settings.isManual else {
      throw RequestFailure(
        409, "the session activates itself; set manualAudioSessionManagement first, or start nearend with --manual")
    }
    service.session.send(event)
    try exchange.answer(json: ["isActive": service.session.current.isActive])
  }

  fileprivate func registerMedia() throws {
    let (isSend, isReceive) = (try flag("send"), try flag("receive"))
    guard isSend || isReceive else { throw RequestFailure(400, "media sends, receives or does both; give send=1 or receive=1") }
    if let problem = IdRule.problem(id) { throw RequestFailure(422, "invalid media id '\(id)': \(problem)") }
    let media = Media(id: id, isSend: isSend, isReceive: isReceive)
    try ControlEndpoints.registering.withLock { _ in try register(media) }
    do { try exchange.answer(json: media) } catch {
      ControlEndpoints.registering.withLock { _ in
        if service.clientMedia.withLock({ $0.withdraw(id) }) { service.session.send(.unregisterMedia(id: id)) }
      }
      throw error
    }
  }

  private func register(_ media: Media) throws {
    let session = service.session.current
    if let other = session.media.first(where: { $0.id == id }) {
      guard (other.isSend, other.isReceive) == (media.isSend, media.isReceive) else {
        throw RequestFailure(409, "media '\(id)' is already registered with other directions; delete it first or choose another id")
      }
    }
    let isNew = session.program(id) == nil
    if isNew, service.clientMedia.withLock({ $0.count }) >= ClientMedia.most { throw ClientMedia.tooMany }
    if let refusal = service.session.send(.registerMedia(id: id, isSend: media.isSend, isReceive: media.isReceive)) {
      throw RequestFailure(503, refusal.description)
    }
    service.clientMedia.withLock { $0.register(id, isNew: isNew) }
  }

  fileprivate func unregisterMedia() throws {
    // Atomically: media that a client registers in between would not be counted.
    try ControlEndpoints.registering.withLock { _ in
      guard service.session.current.program(id) != nil else {
        throw RequestFailure(404, "no program has registered media '\(id)'; GET /status lists what is registered")
      }
      service.session.send(.unregisterMedia(id: id))
      service.clientMedia.withLock { $0.unregister(id) }
      service.programs.forget(media: id)
    }
    try exchange.answer(json: ["removed": id])
  }

  fileprivate func command() throws {
    let names = PlainCommand.allCases.map(\.rawValue).joined(separator: ", ")
    let body = try decode([String: EventValue].self, "an object such as {\"command\": \"clearCounters\"}; commands: \(names)")
    guard case .string(let name)? = body["command"], let command = PlainCommand(rawValue: name) else {
      throw RequestFailure(400, "the body is not an object with \"command\"; commands: \(names)")
    }
    if let unknown = body.keys.sorted().first(where: { $0 != "command" && !command.arguments.contains($0) }) {
      throw RequestFailure(400, "\(name) takes no '\(unknown)'")
    }
    // A session that ends has already handed its settings on; a later change would be lost.
    guard !service.session.hasEnded else { throw RequestFailure(503, SessionRefusal.ended.description) }
    switch command {
    case .clearCounters: service.perform(.clearCounters)
    case .saveDiagnostics: service.perform(.saveDiagnostics)
    case .resumeAfterUnplug:
      guard service.graph.report.route.isPausedAfterUnplug else { throw RequestFailure(409, "nothing is paused") }
      service.perform(.resumeAfterUnplug)
    case .listen: service.perform(.listen(seconds: try seconds(of: body)))
    case .stopListening: service.perform(.stopListening)
    case .enableVoiceProcessing: service.setVoiceProcessingEnabled(true)
    case .disableVoiceProcessing: service.setVoiceProcessingEnabled(false)
    case .notifyWhenSoundPasses:
      guard let program = try program() else { throw RequestFailure(400, "missing parameter: program=<number>") }
      service.session.notifyWhenSoundPasses { [weak programs = service.programs] in programs?.postRecovery(to: program) }
    }
    try exchange.answer(json: ["done": command])
  }

  /// How long a person wants to hear themselves.
  private func seconds(of body: [String: EventValue]) throws -> Double {
    let seconds: Double
    switch body["seconds"] {
    case nil: return AuditionStatus.standardLength
    case .integer(let whole): seconds = Double(whole)
    case .number(let number): seconds = number
    case .bool, .string: throw RequestFailure(400, "\"seconds\" is not a number")
    }
    guard AuditionStatus.lengths.contains(seconds) else {
      throw RequestFailure(400, "seconds: \(AuditionRefusal.impossibleLength(seconds).description)")
    }
    return seconds
  }
}

/// Media registered by clients of the control socket, by id, with the number of clients that know of it or are about to.
///
/// A client that disconnects before the answer does not know of its registration, which would otherwise stay for good.
struct ClientMedia {
  /// Media that clients may have registered at a time, and that each joined program may.
  static let most = 256
  static let tooMany = RequestFailure(409, "\(most) media are registered, which is the limit; delete some first")

  private var told: [String: Int] = [:]

  var count: Int { told.count }

  /// Counts a client's registration. `isNew`: it was not registered before.
  mutating func register(_ id: String, isNew: Bool) { told[id] = isNew ? 1 : (told[id] ?? 1) + 1 }

  /// Withdraws a registration whose client never got the answer. Returns whether no other client knows of it: then it must be unregistered.
  mutating func withdraw(_ id: String) -> Bool {
    guard let count = told[id] else { return false }
    told[id] = count > 1 ? count - 1 : nil
    return count == 1
  }

  /// Forgets unregistered media.
  mutating func unregister(_ id: String) { told[id] = nil }
}
