import RealtimeCore
import SessionModel

/// The microphone input: one source at a time (L5, S3). [any]
extension AudioSessionManager {
  /// Calls `callback` with `context` on the audio thread, once a cycle while the session runs, with the microphone after voice processing,
  /// in `captureChannelCount` channels. Registered before the session runs, it waits and needs no restart (S3).
  /// - Returns: false where another source, or this one, is registered already, or the media is not registered to send; the log says which.
  ///
  /// Seed: `registerMicrophoneInputCallback:refCon:mediaId:`. The callback is given the samples and pulls nothing.
  public func registerMicrophoneInput(mediaId: String, context: UnsafeMutableRawPointer?, callback: @escaping MicrophoneCallback) -> Bool {
    let refusal =
      service.map { $0.registerMicrophoneInput(mediaId: mediaId, context: context, callback: callback) }
      ?? .unknownMedia(id: mediaId)
    guard let refusal else { return true }
    log.add(.warning, "microphone input '\(mediaId)': \(refusal.description)")
    return false
  }

  /// When it returns, the callback is not running and is not called again, and a stream has ended. Another id than the source's: no effect.
  /// Never to be called by the callback itself.
  ///
  /// Seed: `unregisterMicrophoneInputCallbackWithMediaId:`.
  public func unregisterMicrophoneInput(mediaId: String) { send(.unregisterSource(mediaId: mediaId)) }

  /// Registers a source that is an asynchronous sequence of buffers of about 10 ms. It ends with its source, or with the last reference to
  /// it.
  /// - Parameters:
  ///   - mediaId: of media that was registered to send.
  ///   - sampleRate: Hz, 8000–192000; nil is the graph's of now, 48000 before its first cycle.
  ///   - channelCount: 1 or 2; nil is `captureChannelCount`.
  /// - Throws: `SourceError`: why not. Nothing is registered then.
  public func microphoneBuffers(mediaId: String, sampleRate: Int? = nil, channelCount: Int? = nil) throws(SourceError) -> MicrophoneStream {
    guard let service else { throw .refused(.unknownMedia(id: mediaId)) }
    return try service.openMicrophone(mediaId: mediaId, sampleRate: sampleRate, channelCount: channelCount)
  }

  /// The source's media; nil where there is none. Seed: `microphoneInputMediaId`.
  public var microphoneInputMediaId: String? { session.source?.mediaId }
}
