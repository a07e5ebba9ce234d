import RealtimeCore
import SessionModel

/// Why an output cannot be created. [any]
public enum OutputError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Hz.
  case impossibleSampleRate(Int)
  case impossibleChannels(Int)
  /// Less than a frame, or more than 64 MB.
  case impossibleBufferDuration(Duration)
  /// The call was joined without `receives`.
  case doesNotReceive(id: String)
  /// The call already has an output.
  case alreadyMade(id: String)
  /// The maximum number of outputs exists.
  case tooMany(limit: Int)
  /// The call has ended.
  case callEnded(id: String)
  /// The session refuses for another reason.
  case refused(id: String, reason: String)

  public var description: String {
    switch self {
    case .impossibleSampleRate(let rate): SinkError.impossibleSampleRate(rate).description
    case .impossibleChannels(let count): SinkError.impossibleChannelCount(count).description
    case .impossibleBufferDuration(let duration):
      "a buffer of \(duration) is impossible; give at least one frame and at most \(RingSink.maximumCapacityBytes >> 20) MB (0.2 s is usual)"
    case .doesNotReceive(let id): "call '\(id)' was joined without receives; join it with receives: true"
    case .alreadyMade(let id): "call '\(id)' has an output already; end it first, or join another call for another participant"
    case .tooMany(let limit): SinkError.tooManySinks(limit: limit).description
    case .callEnded(let id): "call '\(id)' has ended; join it again"
    case .refused(let id, let reason): "call '\(id)' gets no output: \(reason)"
    }
  }

  init(_ error: SinkError, id: String) {
    self =
      switch error {
      case .impossibleSampleRate(let rate): .impossibleSampleRate(rate)
      case .impossibleChannelCount(let count): .impossibleChannels(count)
      case .alreadyRegistered: .alreadyMade(id: id)
      case .sessionEnds: .callEnded(id: id)
      case .tooManySinks(let limit): .tooMany(limit: limit)
      case .refused(_, let reason), .impossibleId(_, let reason): .refused(id: id, reason: reason)
      case .impossibleBufferSize: .refused(id: id, reason: error.description)
      }
  }

  init(_ refusal: SessionRefusal, id: String) {
    self =
      switch refusal {
      case .unknownMedia, .ended: .callEnded(id: id)
      case .wrongDirection: .doesNotReceive(id: id)
      case .sinkExists: .alreadyMade(id: id)
      default: .refused(id: id, reason: refusal.description)
      }
  }
}
