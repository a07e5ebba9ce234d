/// Why application audio was not played into the microphone. [any]
public enum MicrophonePlayError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The voice has no consumer: no call sends, or the session is interrupted.
  case notSending
  /// More than two seconds would wait; none of the buffer is played.
  case full
  /// The engine observers were set without application audio (``AudioSession/setEngineObservers(_:handlesSession:mixesAppAudio:)``).
  case notMixed
  /// The nearend that the program has joined is away or refuses, or as many streams play as there can be.
  case unavailable

  public var description: String {
    switch self {
    case .notSending: "nobody takes the microphone: join a call that sends first, or wait until the session is active"
    case .full: "more than two seconds of application audio would wait; play it at its own pace"
    case .notMixed: "application audio is off; set the engine observers with mixesAppAudio: true before the first call"
    case .unavailable:
      "application audio cannot be played now: the nearend that runs is away, or it plays as many streams as it can; try again later"
    }
  }
}
