import Dispatch
import Platform
import RTP
import RealtimeCore
import SessionModel
import Synchronization

/// The session's participants on other machines, and the destinations of its voice (K12). [any]
final class Remotes: Sendable {
  private struct State {
    var receivers: [String: RemoteReceiver] = [:]
    /// In order of creation.
    var senders: [RemoteSender] = []
    /// The report exchanges of calls, by participant.
    var exchanges: [String: ReportExchange] = [:]
    /// Whether the service has ended.
    var isStopped = false

    /// Removes and returns everything registered under `id`; a sender outside a call only if `isSend`.
    mutating func remove(_ id: String, isSend: Bool = false) -> (RemoteReceiver?, RemoteSender?, ReportExchange?) {
      let exchange = exchanges.removeValue(forKey: id)
      let sender = exchange != nil || isSend ? senders.first { $0.id == id } : nil
      if let sender { senders.removeAll { $0 === sender } }
      return (receivers.removeValue(forKey: id), sender, exchange)
    }
  }
  /// Destinations of the voice at a time, those of calls included: each converts it and has a thread.
  static let mostSenders = 32
  /// Participants received at a time, those of calls included; each has a thread.
  static let mostReceivers = 64
  /// Seconds that `stop` waits for all of their threads.
  private static let patience = 0.5

  private let participants: Participants
  private let session: VoiceSession
  private let relay: VoiceRelay
  private let log: EventLog
  private let state = Mutex(State())
  /// Serializes creating and ending, which take several steps.
  private let changing = Mutex(())

  init(participants: Participants, session: VoiceSession, relay: VoiceRelay, log: EventLog) {
    (self.participants, self.session, self.relay, self.log) = (participants, session, relay, log)
  }

  /// Runs `body`, unless the service has ended.
  private func make(_ body: () throws(RemoteError) -> Void) throws(RemoteError) {
    let result: Result<Void, RemoteError> = changing.withLock { _ in
      guard !state.withLock(\.isStopped) else { return .failure(.session(SessionRefusal.ended.description)) }
      do throws(RemoteError) { return .success(try body()) } catch { return .failure(error) }
    }
    try result.get()
  }

  // MARK: Receiving

  func receive(id: String, at address: RTPAddress, from: RTPAddress?, latency: Int) throws(RemoteError) {
    try make { () throws(RemoteError) in
      let receiver = try makeReceiver(id, address, from, latency)
      state.withLock { $0.receivers[id] = receiver }
      begin(receiver, from: from)
    }
  }

  private func makeReceiver(_ id: String, _ address: RTPAddress, _ from: RTPAddress?, _ latency: Int) throws(RemoteError) -> RemoteReceiver
  {
    if let problem = IdRule.problem(id) { throw .impossibleId(id, reason: problem) }
    guard RemoteReceiver.latencies.contains(latency) else {
      let possible = RemoteReceiver.latencies
      throw .value("a latency of \(latency) ms is impossible; give \(possible.lowerBound) to \(possible.upperBound)")
    }
    let isFree = state.withLock { $0.receivers[id] == nil && !$0.senders.contains { $0.id == id } }
    guard isFree else { throw .taken(id: id) }
    guard state.withLock({ $0.receivers.count }) < Self.mostReceivers else {
      throw .tooMany("participants are received by RTP", limit: Self.mostReceivers)
    }
    let socket: DatagramSocket
    do throws(DatagramError) { socket = try DatagramSocket(at: address) } catch { throw .socket(address: "\(address)", error) }
    let sink: RingSink
    do throws(SinkError) {
      let format = try SinkFormat(sampleRate: RTPFormat.rate, channelCount: 2)
      sink = try participants.addRing(id: id, format: format, capacityBytes: 2 * latency * RTPFormat.rate / 1_000 * format.bytesPerFrame)
    } catch { throw RemoteError(error) }
    return RemoteReceiver(socket, address, from: from, latency: latency, sink: sink, log: log)
  }

  private func begin(_ receiver: RemoteReceiver, from: RTPAddress?) {
    let id = receiver.sink.id
    receiver.start { [weak self, weak receiver] in
      // The sink was removed, or its media unregistered. Asynchronously, because ending a receiver waits for this thread.
      startThread(name: "nearend-sweep") { [weak self, weak receiver] in if let receiver { self?.sweep(receiver) } }
    }
    log.add(.info, "participant \(id): RTP at \(receiver.address)\(from.map { " from \($0.host)" } ?? "")")
  }

  /// Ends what belongs to a receiver that has ended. Its name is taken until then, and may belong to another one afterwards.
  private func sweep(_ receiver: RemoteReceiver) {
    let id = receiver.sink.id
    changing.withLock { _ in if state.withLock({ $0.receivers[id] === receiver }) { end(id, isSend: false) } }
  }

  // MARK: Sending

  /// Starts sending, and returns the sender's name.
  func send(to address: RTPAddress, id: String?, milliseconds: Int) throws(RemoteError) -> String {
    let id = id ?? Self.name("to-", address)
    try make { () throws(RemoteError) in
      guard session.current.program(id) == nil else { throw .taken(id: id) }
      let sender = try makeSender(id, address, milliseconds)
      if let refusal = session.send(.registerMedia(id: id, isSend: true, isReceive: false)) { throw .session(refusal.description) }
      state.withLock { $0.senders.append(sender) }
      begin(sender)
    }
    return id
  }

  private func makeSender(_ id: String, _ address: RTPAddress, _ milliseconds: Int) throws(RemoteError) -> RemoteSender {
    if let problem = IdRule.problem(id) { throw .impossibleId(id, reason: problem) }
    guard !address.isAny else { throw RemoteError(.anyAddress("\(address)")) }
    guard RTPFormat.packetTimes.contains(milliseconds) else {
      let possible = RTPFormat.packetTimes
      throw .value("packets of \(milliseconds) ms are impossible; give \(possible.lowerBound) to \(possible.upperBound)")
    }
    guard !state.withLock({ $0.senders.contains { $0.id == id } }) else { throw .taken(id: id) }
    guard state.withLock({ $0.senders.count }) < Self.mostSenders else {
      throw .tooMany("destinations get the voice", limit: Self.mostSenders)
    }
    return try RemoteSender(id: id, to: address, milliseconds: milliseconds, relay: relay)
  }

  private func begin(_ sender: RemoteSender) {
    let id = sender.id
    sender.start { [session] in
      session.current.program(id) != nil
    } ended: { [weak self, weak sender] in
      self?.state.withLock { $0.senders.removeAll { $0 === sender } }
    }
    log.add(.info, "the voice is sent to \(sender.address), SSRC \(sender.reading.ssrc)")
  }

  /// Ends sending; if it belongs to a call, ends the whole call.
  func end(_ id: String) throws(RemoteError) {
    let ids: [String]? = changing.withLock { _ in
      let ids = state.withLock { $0.senders.map(\.id) }
      guard ids.contains(id) else { return ids }
      end(id, isSend: true)
      return nil
    }
    if let ids { throw .unknown(id: id, ids: ids) }
  }

  /// Returns whether that removed a participant: one whose media somebody else has unregistered no longer counts.
  @discardableResult
  private func end(_ id: String, isSend: Bool) -> Bool {
    let (receiver, sender, exchange) = state.withLock { $0.remove(id, isSend: isSend) }
    exchange?.stop()
    receiver?.stop()
    if let sender { finish(sender) }
    let isParticipant = receiver?.sink.isRemoved == false
    if isParticipant { participants.remove(id: id) }
    if sender != nil, !session.current.sinks.contains(id) { session.send(.unregisterMedia(id: id)) }
    return isParticipant
  }

  private func finish(_ sender: RemoteSender) {
    sender.stop()
    log.add(.info, "the voice is no longer sent to \(sender.address)")
  }

  // MARK: Calls

  /// Sends and receives, and exchanges reports. Returns the participant's name.
  /// - Parameter port: where this machine receives; nil for the peer's own port.
  func call(_ peer: RTPAddress, id: String?, port: UInt16?, latency: Int, milliseconds: Int) throws(RemoteError) -> String {
    let id = id ?? Self.name("", peer)
    let here = RTPAddress.any(like: peer, port: port ?? peer.port)
    guard let reports = here.control, let peerReports = peer.control else {
      throw .value("port 65535 leaves none for reports: give 1 to 65534")
    }
    try make { () throws(RemoteError) in
      guard session.current.program(id) == nil else { throw .taken(id: id) }
      let sender = try makeSender(id, peer, milliseconds)
      let socket: DatagramSocket
      do throws(DatagramError) { socket = try DatagramSocket(at: reports) } catch { throw .socket(address: "\(reports)", error) }
      if let refusal = session.send(.registerMedia(id: id, isSend: true, isReceive: true)) { throw .session(refusal.description) }
      let receiver: RemoteReceiver
      do throws(RemoteError) { receiver = try makeReceiver(id, here, peer, latency) } catch {
        session.send(.unregisterMedia(id: id))
        throw error
      }
      let exchange = ReportExchange(socket, peer: peerReports, receiver: receiver, sender: sender)
      state.withLock { state in
        state.receivers[id] = receiver
        state.senders.append(sender)
        state.exchanges[id] = exchange
      }
      begin(receiver, from: peer)
      begin(sender)
      exchange.start()
    }
    return id
  }

  // MARK: All of them

  /// Removes a participant that is received here, together with its call; returns false if there is none of that name.
  func remove(_ id: String) -> Bool {
    changing.withLock { _ in
      guard state.withLock({ $0.receivers[id] != nil }) else { return false }
      return end(id, isSend: false)
    }
  }

  func status(of id: String) -> RemoteStatus? { state.withLock { $0.receivers[id] }?.status }

  var sends: [SendStatus] { state.withLock { $0.senders }.map(\.status) }

  func clearCounters() { for receiver in state.withLock({ $0.receivers.values }) { receiver.clearCounters() } }

  /// Ends everything, at the end of the service; later requests are refused. All threads are asked first and then waited for together, as
  /// each may have to wait for its turn on the processor. Idempotent.
  func stop() {
    let ended = changing.withLock { _ in
      state.withLock { state in
        defer { state = State(isStopped: true) }
        return state
      }
    }
    let threads = ended.exchanges.values.map(\.thread) + ended.receivers.values.map(\.thread) + ended.senders.map(\.thread)
    for thread in threads { thread.socket.wake() }
    let deadline = DispatchTime.now() + Self.patience
    for thread in threads { thread.stop(until: deadline) }
  }

  /// Returns a name that is unlikely to be taken: "10.0.0.8", with the port if it is not the standard one.
  private static func name(_ prefix: String, _ address: RTPAddress) -> String {
    let port = address.port == RTPAddress.standardPort ? "" : "-\(address.port)"
    let host = address.host.hasPrefix(":") ? "0\(address.host)" : address.host
    return prefix + host.map { $0 == ":" || $0 == "%" ? "-" : String($0) }.joined() + port
  }
}
