import Foundation
import Platform
import SessionModel
import Synchronization

/// `GET /source`: streams the processed microphone for as long as the client reads it (L5). [any]
///
/// The next buffer is requested when the last has been sent: a slow reader loses audio in the source's own queue, which counts it.
final class PCMDownload: Sendable {
  private enum Turn {
    case waiting
    case buffer(MicrophoneBuffer)
    case end
  }
  private let stream: MicrophoneStream
  private let turn = Mutex(Turn.waiting)
  private let wake: WakeSignal

  private init(_ stream: MicrophoneStream) throws(RequestFailure) {
    self.stream = stream
    wake = try .forClient()
  }

  static func answer(_ request: ControlRequest) throws {
    let (service, id) = (request.service, request.exchange.head.query["id"] ?? "source")
    let rate = try request.integer("rate") ?? 48_000
    let channels = try request.integer("channels") ?? 1
    if let problem = IdRule.problem(id) { throw RequestFailure(422, "invalid source id '\(id)': \(problem)") }
    let (stream, ownsMedia) = try open(id, rate: rate, channels: channels, in: service)
    // On every exit.
    defer {
      stream.cancel()
      if ownsMedia { service.session.send(.unregisterMedia(id: id)) }
    }
    try PCMDownload(stream).run(request.exchange)
  }

  /// Opens a source, and registers its media if no program has.
  private static func open(
    _ id: String, rate: Int, channels: Int, in service: NearendService
  ) throws(RequestFailure) -> (stream: MicrophoneStream, ownsMedia: Bool) {
    let result: Result<(stream: MicrophoneStream, ownsMedia: Bool), SourceError> = ControlEndpoints.registering.withLock { _ in
      let ownsMedia = service.session.current.program(id) == nil
      if ownsMedia, let refusal = service.session.send(.registerMedia(id: id, isSend: true, isReceive: false)) {
        return .failure(.refused(refusal))
      }
      do throws(SourceError) {
        return .success((try service.openMicrophone(mediaId: id, sampleRate: rate, channelCount: channels), ownsMedia))
      } catch {
        if ownsMedia { service.session.send(.unregisterMedia(id: id)) }
        return .failure(error)
      }
    }
    do throws(SourceError) { return try result.get() } catch { throw RequestFailure(error.status, error.description, code: error.code) }
  }

  private func run(_ exchange: ControlExchange) throws {
    try exchange.beginStream(type: "application/octet-stream")
    while true {
      stream.next { [self] buffer in
        turn.withLock { $0 = buffer.map(Turn.buffer) ?? .end }
        wake.raise()
      }
      var next = Turn.waiting
      while case .waiting = next {
        try exchange.connection.pause(seconds: 60, waking: wake.descriptor)
        wake.lower()
        next = turn.withLock { turn in
          defer { turn = .waiting }
          return turn
        }
      }
      guard case .buffer(let buffer) = next else { return try exchange.endStream() }
      try exchange.send(chunk: buffer.samples.withUnsafeBytes { Array($0) })
    }
  }
}

extension SourceError {
  /// The HTTP status of the error.
  fileprivate var status: Int {
    switch self {
    case .refused(.ended): 503
    case .refused: 409
    case .impossibleSampleRate, .impossibleChannelCount: 422
    case .outOfMemory: 503
    }
  }

  fileprivate var code: ControlFailureCode? { if case .refused(.sourceTaken) = self { .sourceTaken } else { nil } }
}
