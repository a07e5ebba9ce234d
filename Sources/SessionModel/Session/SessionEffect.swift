/// What has to be done because a session changed, in this order. [any]
public enum SessionEffect: Sendable, Equatable {
  /// The call is refused, and nothing has changed.
  case refused(SessionRefusal)
  /// The graph must provide something else.
  case demand(SessionDemand)
  /// `useVoiceProcessingIO` is another.
  case voiceProcessing(Bool)
  /// What mutes the voice, and where.
  case microphone(MicrophoneGate)
  /// Channels of what a source is given, and of the mix.
  case channelCounts(capture: Int, render: Int)
  /// The source is given audio from now on.
  case attachSource(mediaId: String)
  /// It no longer is, but stays registered: a deferred source (S3).
  case detachSource(mediaId: String)
  /// It is gone for good.
  case removeSource(mediaId: String)
  case removeSink(mediaId: String)
  /// Buffered audio is thrown away (S2).
  case resetSinks
  /// The filter is made anew (I5).
  case rebuild
  /// `didRecover` is posted, once sound can pass (S4).
  case recovered
  case warn(String)
}

/// Why a session does not do what it is asked for. [any]
public enum SessionRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  /// `registerMedia` comes first, always.
  case unknownMedia(id: String)
  /// A source for media that does not send, or a sink for media that does not receive.
  case wrongDirection(id: String, needs: String)
  case sourceTaken(by: String)
  case sinkExists(id: String)
  case locked(setting: String)
  case impossible(setting: String, value: String, possible: String)
  /// The session ends: nothing used it, or it was shut down.
  case ended

  public var description: String {
    switch self {
    case .unknownMedia(let id): "media '\(id)' is not registered; call registerMedia first"
    case .wrongDirection(let id, let needs): "media '\(id)' was not registered to \(needs); register it so first"
    case .sourceTaken(let by): "the microphone has a source already, '\(by)'; unregister it first"
    case .sinkExists(let id): "media '\(id)' has a speaker output already; unregister it first"
    case .locked(let setting): "\(setting) has no effect while media is registered or recording is kept prepared; set it before"
    case .impossible(let setting, let value, let possible): "\(setting) \(value) is impossible; give \(possible)"
    case .ended: "the session is just ending; register again, and the next one begins"
    }
  }
}
