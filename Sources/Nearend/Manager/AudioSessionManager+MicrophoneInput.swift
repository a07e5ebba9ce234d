import RealtimeCore
import SessionModel

/// The microphone input: one source at a time (L5, S3). [any]
extension AudioSessionManager {
  /// Calls `callback` with `context` on the audio thread, once per cycle while the session runs, with the microphone after voice
  /// processing, in `captureChannelCount` channels. If registered before the session runs, it waits and needs no restart (S3).
  /// - Returns: false if a source is already registered, or the media is not registered to send; the log says which.
  ///
  /// LiveSwitch: `registerMicrophoneInputCallback:refCon:mediaId:`. The callback receives the samples instead of pulling them.
  public func registerMicrophoneInput(mediaId: String, context: UnsafeMutableRawPointer?, callback: @escaping MicrophoneCallback) -> Bool {
    guard let refusal = owner.registerSource(id: mediaId, context: context, callback: callback) else { return true }
    owner.log.add(.warning, "microphone input '\(mediaId)': \(refusal.description)")
    return false
  }

  /// Unregisters the source; ignored for any other id. When it returns, the callback is not running and is not called again, and a stream
  /// has ended. If the callback itself calls it, it returns at once, and the source is unregistered soon after the callback has returned.
  ///
  /// LiveSwitch: `unregisterMicrophoneInputCallbackWithMediaId:`.
  public func unregisterMicrophoneInput(mediaId: String) { owner.removeSource(id: mediaId) }

  /// Registers a source that is an asynchronous sequence of buffers of about 10 ms. It ends with its source, or with the last reference to
  /// it.
  /// - Parameters:
  ///   - mediaId: the id of media registered to send.
  ///   - sampleRate: Hz, 8000–192000; nil for the graph's current rate, 48000 before its first cycle.
  ///   - channelCount: 1 or 2; nil for `captureChannelCount`.
  /// - Throws: `SourceError`; nothing is registered then.
  public func microphoneBuffers(mediaId: String, sampleRate: Int? = nil, channelCount: Int? = nil) throws(SourceError) -> MicrophoneStream {
    try owner.openSource(id: mediaId, sampleRate: sampleRate, channelCount: channelCount)
  }

  /// The source's media id; nil without a source. LiveSwitch: `microphoneInputMediaId`.
  public var microphoneInputMediaId: String? { owner.session.source?.mediaId }
}
