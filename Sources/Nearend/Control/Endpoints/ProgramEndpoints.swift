import Border
import Foundation
import Platform
import RealtimeCore
import SessionModel

extension ControlEndpoints {
  /// Requests of a program on the library that has joined (O8).
  static let programs = [
    ControlEndpoint("GET", "/join", query: ["name", "process", "version"]) { try $0.join() },
    ControlEndpoint("GET", "/voice", query: ["program"]) { try VoiceListener.answer($0) },
    ControlEndpoint("GET", "/playout/:id", query: ["program", "rate", "channels", "bytes"]) { try $0.playOut() },
    ControlEndpoint("GET", "/playout-into-mic/:id", query: ["program", "rate", "channels", "bytes"]) { try $0.playOutIntoMicrophone() },
    ControlEndpoint("POST", "/drops/:id", query: ["program"]) { try $0.reportDrops() },
  ]
}

extension ControlRequest {
  /// Returns the joined program that makes the request; nil if the request names none.
  func program() throws(RequestFailure) -> Int? {
    guard let number = try integer("program") else { return nil }
    guard service.programs.contains(number) else {
      throw RequestFailure(409, "no program \(number) has joined; GET /join, and use the number that it tells")
    }
    return number
  }

  fileprivate func join() throws {
    let version = try integer("version") ?? 0
    guard version == HostProtocol.version else {
      throw RequestFailure(
        409, "programs join nearend \(nearendVersion) with version=\(HostProtocol.version), not \(version); use the same nearend for both")
    }
    let feed = try EventFeed()
    // Subscribes before the settings are read: a change in between is reported twice rather than never.
    let subscription = service.events.subscribe { if case .event(let event) = $0 { feed.add(event) } }
    let name = (exchange.head.query["name"] ?? "").printable(atMost: 64)
    let process = try integer("process")
    let program = service.programs.add(name: name.isEmpty ? "a program" : name, process: process, feed: feed)
    defer {
      subscription.cancel()
      service.programLeft(program)
    }
    let welcome = HostProtocol.Welcome(
      version: HostProtocol.version, program: program, nearend: nearendVersion, process: Int(getpid()),
      settings: Dictionary(uniqueKeysWithValues: Setting.allCases.map { ($0.rawValue, service.value(of: $0)) }),
      interruptions: service.session.current.interruptions)
    service.graph.demandChanged()
    try exchange.upgrade(to: HostProtocol.name)
    service.log.add(.info, "\(name)\(process.map { " (process \($0))" } ?? "") has joined")
    let stall = exchange.limits.stallSeconds
    try exchange.connection.send(Array(try JSONEncoder().encode(welcome)) + [10], stall: stall)
    try feed.stream(to: exchange.connection) { try exchange.connection.send($0, stall: stall) }
  }

  func registerMedia(of program: Int) throws {
    let (isSend, isReceive) = (try flag("send"), try flag("receive"))
    guard isSend || isReceive else { throw RequestFailure(400, "media sends, receives or does both; give send=1 or receive=1") }
    if let problem = IdRule.problem(id) { throw RequestFailure(422, "invalid media id '\(id)': \(problem)") }
    let name = try service.register(Media(id: id, isSend: isSend, isReceive: isReceive), of: program)
    // It ends with its program, even if the answer does not arrive.
    try exchange.answer(json: Media(id: name, isSend: isSend, isReceive: isReceive))
  }

  private func format() throws -> (rate: Int, channels: Int, bytes: Int) {
    guard let rate = try integer("rate"), let channels = try integer("channels"), let bytes = try integer("bytes") else {
      throw RequestFailure(400, "a stream of PCM needs rate=, channels= and bytes=, the ring's size")
    }
    return (rate, channels, bytes)
  }

  fileprivate func playOut() throws {
    let (rate, channels, bytes) = try format()
    guard let program = try program(), service.programs.owns(program, media: id) else {
      throw RequestFailure(409, "'\(id)' is no media of that program; POST /media/\(id)?receive=1&program=<number> first")
    }
    let (service, id) = (service, id)
    try SinkStream.answer(self) { total in
      service.notifySinkFrameDrop(mediaId: id, consecutive: 1, total: total)
    } register: { () throws(SinkError) in
      let sink = try service.addRingSink(id: id, sampleRate: rate, channelCount: channels, bufferSize: bytes)
      return PCMRegistration(sink: sink) { if service.core.mixer.ringSink(id: id) === sink { service.removeSink(id: id) } }
    }
  }

  /// Takes a joined program's report of what it has dropped itself (K6).
  fileprivate func reportDrops() throws {
    guard let program = try program(), service.programs.owns(program, media: id) else {
      throw RequestFailure(409, "'\(id)' is no media of that program; POST /media/\(id)?receive=1&program=<number> first")
    }
    let drops = try decode(HostProtocol.SinkDrops.self, "an object such as {\"consecutive\": 1, \"total\": 1}")
    service.notifySinkFrameDrop(mediaId: id, consecutive: drops.consecutive, total: drops.total)
    try exchange.answer(json: drops)
  }

  fileprivate func playOutIntoMicrophone() throws {
    let (rate, channels, bytes) = try format()
    guard try program() != nil else { throw RequestFailure(400, "say whose it is: program=<number>; or use PUT /appaudio/\(id)") }
    if let problem = IdRule.problem(id) { throw RequestFailure(422, "invalid source id '\(id)': \(problem)") }
    let (service, id) = (service, id)
    try SinkStream.answer(self) { _ in
    } register: { () throws(SinkError) in
      let source = try service.addAppAudio(
        id: id, format: SinkFormat(sampleRate: rate, channelCount: channels, sampleType: .float32), bufferSize: bytes)
      return PCMRegistration(sink: source) { if service.core.appAudio.mixer.ringSink(id: id) === source { service.removeAppAudio(id: id) } }
    }
  }
}
