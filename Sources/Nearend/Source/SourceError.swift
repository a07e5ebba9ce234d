import SessionModel

/// Why the microphone cannot be opened. [any]
public enum SourceError: Error, Sendable, Equatable, CustomStringConvertible {
  case refused(SessionRefusal)
  case impossibleSampleRate(Int)
  case impossibleChannelCount(Int)
  case outOfMemory

  public var description: String {
    switch self {
    case .refused(let refusal): refusal.description
    case .impossibleSampleRate(let rate):
      "sample rate \(rate) Hz is impossible for the microphone; give one from \(MicrophoneStream.sampleRates.lowerBound) to "
        + "\(MicrophoneStream.sampleRates.upperBound)"
    case .impossibleChannelCount(let count): "\(count) channels are impossible for the microphone; give 1 or 2"
    case .outOfMemory: "there is not enough memory to convert the microphone's sample rate"
    }
  }
}
