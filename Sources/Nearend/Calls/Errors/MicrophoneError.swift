import SessionModel

/// Why a call's microphone cannot be opened. [any]
public enum MicrophoneError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Hz.
  case impossibleSampleRate(Int)
  case impossibleChannels(Int)
  /// The call was joined without `sends`.
  case doesNotSend(id: String)
  /// A call of this program has the microphone.
  case taken(by: String)
  /// The call has ended.
  case callEnded(id: String)
  /// There is not enough memory to convert the sample rate.
  case outOfMemory
  /// The session refuses for another reason.
  case refused(id: String, reason: String)

  public var description: String {
    switch self {
    case .impossibleSampleRate(let rate): SourceError.impossibleSampleRate(rate).description
    case .impossibleChannels(let count): SourceError.impossibleChannelCount(count).description
    case .doesNotSend(let id): "call '\(id)' was joined without sends; join it with sends: true"
    case .taken(let by): "call '\(by)' has the microphone; end that one's first, or share its buffers"
    case .callEnded(let id): "call '\(id)' has ended; join it again"
    case .outOfMemory: SourceError.outOfMemory.description
    case .refused(let id, let reason): "call '\(id)' gets no microphone: \(reason)"
    }
  }

  init(_ error: SourceError, _ call: Call) {
    self =
      switch error {
      case .impossibleSampleRate(let rate): .impossibleSampleRate(rate)
      case .impossibleChannelCount(let count): .impossibleChannels(count)
      case .outOfMemory: .outOfMemory
      case .refused(.unknownMedia), .refused(.ended): .callEnded(id: call.id)
      case .refused(.wrongDirection): .doesNotSend(id: call.id)
      case .refused(.sourceTaken(let by)): .taken(by: by)
      case .refused(let refusal): .refused(id: call.id, reason: refusal.description)
      }
  }
}
