/// Why application audio was not played into the microphone. [any]
public enum MicrophonePlayError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The voice has no consumer: no call sends, or the session is interrupted.
  case notSending
  /// More than two seconds would wait; none of the buffer is played.
  case full
  /// The engine observers were set without application audio (``AudioSession/setEngineObservers(_:handlesSession:mixesAppAudio:)``).
  case notMixed
  /// As many streams play as there can be, or the nearend that the program has joined is away or refuses.
  case unavailable

  public var description: String {
    switch self {
    case .notSending: "nobody takes the microphone: join a call that sends first, or wait until the session is active"
    case .full: "more than two seconds of application audio would wait; play it at its own pace"
    case .notMixed: "application audio is off; set the engine observers with mixesAppAudio: true before the first call"
    case .unavailable:
      """
      application audio cannot be played now: as many streams play as there can be, or the program has joined a nearend that is away or \
      refuses; try again later
      """
    }
  }
}
