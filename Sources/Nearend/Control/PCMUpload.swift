import Foundation
import Platform
import RealtimeCore
import SessionModel

/// `PUT /sinks/<id>`, `PUT /appaudio/<id>`: plays a participant's or application's PCM for as long as it arrives. [any]
///
/// The body is read no faster than the ring has room, so a program that is faster than real time blocks in its own write, and nothing is
/// dropped.
struct PCMUpload {
  private struct Counts: Encodable {
    var id: String
    var framesWritten: UInt64
    var framesPlayed: UInt64
    var underruns: UInt64
    var drops: UInt64
    var error: String?
  }
  private typealias Outcome = (status: Int, error: String?)
  private let sink: RingSink
  /// What playback waits for, in words for people; nil if for the session only.
  private let waitsFor: String?
  private let session: VoiceSession
  private let exchange: ControlExchange

  /// Default length of the ring in milliseconds.
  private static let standardBuffer = 200
  private static let buffers = 10...10_000
  /// Seconds without an empty socket after which a client counts as faster than real time.
  private static let liveSpan = 1.0
  /// The least free space that is worth a write, in seconds.
  private static let step = 0.01

  static func answer(_ request: ControlRequest) throws {
    try answer(request) { rate, channels, milliseconds throws(SinkError) in
      try .sink(id: request.id, rate: rate, channels: channels, milliseconds: milliseconds, in: request.service)
    }
  }

  /// - Parameter register: creates the sink that plays the PCM.
  static func answer(
    _ request: ControlRequest, register: (_ rate: Int, _ channels: Int, _ milliseconds: Int) throws(SinkError) -> PCMRegistration
  ) throws {
    let exchange = request.exchange
    try exchange.expect(type: ["application/octet-stream", "audio/"])
    let rate = try request.integer("rate") ?? 48_000
    let channels = try request.integer("channels") ?? 1
    let buffer = try request.integer("buffer") ?? standardBuffer
    guard exchange.head.body != .none else {
      throw RequestFailure(400, "there is no body; send interleaved 16 bit PCM, chunked: curl -T - …")
    }
    guard buffers.contains(buffer) else {
      throw RequestFailure(422, "a buffer of \(buffer) ms is impossible; give \(buffers.lowerBound) to \(buffers.upperBound)")
    }
    let registration: PCMRegistration
    do throws(SinkError) {
      let result = ControlEndpoints.registering.withLock { _ in
        do throws(SinkError) {
          return Result<PCMRegistration, SinkError>.success(try register(rate, channels, buffer))
        } catch {
          return .failure(error)
        }
      }
      registration = try result.get()
    } catch {
      throw RequestFailure(error.status, error.description, code: error.code)
    }
    // On every exit, and before the answer, so that the client may reuse the name as soon as it has it.
    defer { registration.end() }
    let upload = PCMUpload(
      sink: registration.sink, waitsFor: registration.waitsFor, session: request.service.session, exchange: exchange)
    let outcome = try upload.run()
    registration.end()
    try upload.answer(outcome.status, error: outcome.error)
  }

  private static let removed: Outcome = (409, "the sink was removed during playback")

  private func run() throws -> Outcome {
    exchange.connection.forgetPace()
    var frame: [UInt8] = []
    while true {
      let room = room - frame.count
      guard room > 0 else {
        // A removed sink never has room again.
        guard !sink.isRemoved else { return Self.removed }
        try exchange.connection.pause(seconds: Self.step)
        continue
      }
      let bytes = try exchange.read(room)
      if bytes.isEmpty { break }
      frame.append(contentsOf: bytes)
      let whole = frame.count - frame.count % sink.format.bytesPerFrame
      guard frame.withUnsafeBytes({ sink.write(UnsafeRawBufferPointer(rebasing: $0[..<whole])) }) else { return Self.removed }
      frame.removeFirst(whole)
    }
    sink.end()
    if let failure = try playOut() { return failure }
    guard frame.isEmpty else {
      return (422, "the body ended in the middle of a frame; a frame has \(sink.format.bytesPerFrame) bytes")
    }
    return (200, nil)
  }

  /// Waits until the last frame has been played; otherwise returns why it was not. Only this wait has a time limit: an incomplete body
  /// waits for its session as long as the client does.
  private func playOut() throws -> Outcome? {
    var (left, since) = (sink.fill.bytes, monotonicSeconds())
    while !sink.isIdle {
      if sink.isRemoved { return Self.removed }
      let (fill, now) = (sink.fill.bytes, monotonicSeconds())
      if fill != left { (left, since) = (fill, now) }
      guard now - since < exchange.limits.stallSeconds else { return (503, stallReason) }
      try exchange.connection.pause(seconds: Self.step)
    }
    return nil
  }

  private var stallReason: String {
    let state = session.current
    let reason =
      if let interruption = state.interruptions.first {
        "the session is interrupted (\(interruption.rawValue)); GET /events tells when that is over"
      } else if state.settings.isManual, !state.isActivatedExternally {
        "nobody has activated the session; POST /activate"
      } else if let waitsFor, !state.demand.sends {
        "it waits for \(waitsFor)"
      } else {
        "the graph does not run; GET /status tells of its devices"
      }
    return "nothing was played for \(exchange.limits.stallSeconds) s: \(reason)"
  }

  /// Bytes that may be written now. A client that is always ahead is held at the fill that the sink is steered to: above it, the sink would
  /// play faster to reduce it.
  private var room: Int {
    let isLive = monotonicSeconds() - exchange.connection.lastEmpty < Self.liveSpan
    let fill = sink.fill
    let limit = fill.target + Int(Self.step * Double(sink.format.sampleRate)) * sink.format.bytesPerFrame
    let full = isLive || fill.target == 0 ? sink.capacityBytes : min(limit, sink.capacityBytes)
    return full - fill.bytes
  }

  private func answer(_ status: Int, error: String?) throws {
    let now = sink.status()
    try exchange.answer(
      status,
      json: Counts(
        id: sink.id, framesWritten: now.framesWritten, framesPlayed: now.framesRead, underruns: now.totalUnderruns, drops: now.totalDrops,
        error: error))
  }
}

/// The sink that plays a client's PCM, and how it is removed.
struct PCMRegistration {
  let sink: RingSink
  let waitsFor: String?
  /// Removes the sink; does nothing if it has already been removed, even if another of its id exists.
  let end: () -> Void

  init(sink: RingSink, waitsFor: String? = nil, end: @escaping () -> Void) {
    self.sink = sink
    self.waitsFor = waitsFor
    self.end = end
  }

  /// Makes a sink, and registers its media if no program has.
  static func sink(
    id: String, rate: Int, channels: Int, milliseconds: Int, in service: NearendService
  ) throws(SinkError) -> PCMRegistration {
    if let problem = IdRule.problem(id) { throw .impossibleId(id, reason: problem) }
    let format = try SinkFormat(sampleRate: rate, channelCount: channels)
    let size = max(1, rate * milliseconds / 1000) * format.bytesPerFrame
    let sink = try service.addRingSink(id: id, sampleRate: rate, channelCount: channels, bufferSize: size)
    return PCMRegistration(sink: sink) {
      if service.core.mixer.ringSink(id: id) === sink { service.removeSink(id: id) }
    }
  }
}
