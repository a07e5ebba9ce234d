/// A consequence of a session's change; effects are carried out in order. [any]
package enum SessionEffect: Sendable, Equatable {
  /// Refuses the call; nothing has changed.
  case refused(SessionRefusal)
  /// The graph must meet a new demand.
  case demand(SessionDemand)
  /// `useVoiceProcessingIO` changed.
  case voiceProcessing(Bool)
  /// Sets whether and where the voice is muted.
  case microphone(MicrophoneGate)
  /// Sets the channels of the source and of the mix.
  case channelCounts(capture: Int, render: Int)
  /// Starts delivering audio to the source.
  case attachSource(mediaId: String)
  /// Stops delivering audio to the source; it stays registered as a deferred source (S3).
  case detachSource(mediaId: String)
  /// Removes the source for good.
  case removeSource(mediaId: String)
  case removeSink(mediaId: String)
  /// Discards buffered audio (S2).
  case resetSinks
  /// Rebuilds the filter (I5).
  case rebuild
  /// Posts `didRecover` once sound can pass (S4).
  case recovered
  case warn(String)
}

/// Why a session refuses a call. [any]
public enum SessionRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  /// `registerMedia` must come first.
  case unknownMedia(id: String)
  /// A source for media that does not send, or a sink for media that does not receive.
  case wrongDirection(id: String, needs: String)
  case sourceTaken(by: String)
  case sinkExists(id: String)
  case locked(setting: String)
  case impossible(setting: String, value: String, possible: String)
  /// The session is ending: it was unused, or shut down.
  case ended
  /// Only a call manager's session is activated and deactivated from outside.
  case notManual

  public var description: String {
    switch self {
    case .unknownMedia(let id): "media '\(id)' is not registered; call registerMedia first"
    case .wrongDirection(let id, let needs): "media '\(id)' is not registered to \(needs); register it with that direction first"
    case .sourceTaken(let by): "the microphone has a source already, '\(by)'; unregister it first"
    case .sinkExists(let id): "media '\(id)' has a speaker output already; unregister it first"
    case .locked(let setting):
      "\(setting) cannot change while calls, media or prepared recording keep a session; set it before or afterwards"
    case .impossible(let setting, let value, let possible): "\(setting) \(value) is impossible; give \(possible)"
    case .ended: "the session is ending; register again once it has ended"
    case .notManual: "the session manages itself; set manualAudioSessionManagement before the first call"
    }
  }
}
