import RealtimeCore
import SessionModel

extension NearendService {
  /// `registerMicrophoneInputCallback` (L5): calls `callback` with `context` on the audio thread, in each cycle in which the session runs,
  /// with the microphone after voice processing, in `captureChannelCount` channels. The media must be registered to send. Returns the
  /// reason if it is refused. [any]
  package func registerMicrophoneInput(
    mediaId: String, context: UnsafeMutableRawPointer?, callback: @escaping MicrophoneCallback
  ) -> SessionRefusal? {
    session.register(RegisteredSource(mediaId: mediaId, .callback(RealtimeConsumer(callback: callback, context: context))))
  }

  /// Unregisters the source; ignored for any other id (L5). When it returns, the callback is not running and is not called again, or the
  /// stream has ended. A callback must never call it itself. [any except the audio thread]
  package func unregisterMicrophoneInput(mediaId: String) { session.send(.unregisterSource(mediaId: mediaId)) }

  /// Registers a source that is an asynchronous sequence, for media registered to send (L5). [any]
  ///
  /// - Parameters:
  ///   - mediaId: the media's id.
  ///   - sampleRate: Hz, 8000…192000; nil for the graph's current rate, 48000 before its first cycle.
  ///   - channelCount: 1 or 2; nil for `captureChannelCount`.
  package func openMicrophone(mediaId: String, sampleRate: Int? = nil, channelCount: Int? = nil) throws(SourceError) -> MicrophoneStream {
    try openMicrophone(mediaId: mediaId, sampleRate: sampleRate, channelCount: channelCount, capacity: SourceQueue.defaultCapacity)
  }

  /// - Parameter capacity: the queue's, in words.
  func openMicrophone(mediaId: String, sampleRate: Int?, channelCount: Int?, capacity: Int) throws(SourceError) -> MicrophoneStream {
    let graphRate = core.cycleMeters.rate
    let rate = sampleRate ?? (graphRate > 0 ? graphRate : 48_000)
    guard MicrophoneStream.sampleRates.contains(rate) else { throw .impossibleSampleRate(rate) }
    let channels = channelCount ?? session.current.settings.captureChannelCount
    guard MicrophoneStream.channelCounts.contains(channels) else { throw .impossibleChannelCount(channels) }
    let pump = try SourcePump(sampleRate: rate, channelCount: channels, capacity: capacity)
    let source = RegisteredSource(mediaId: mediaId, .pump(pump))
    if let refusal = session.register(source) { throw .refused(refusal) }
    return MicrophoneStream(pump: pump, graphRate: { [core] in core.cycleMeters.rate }) { [session] in session.unregister(source) }
  }

  /// The source, if any: for diagnostics and telemetry (`reportSourceResampling`, `reportSourceAudioActivity`). [any]
  package var sourceStatus: SourceStatus? {
    guard let source = session.current.source else { return nil }
    let registered = session.slot.current
    let pump = registered?.mediaId == source.mediaId ? registered?.pump : nil
    let captureRate = core.cycleMeters.rate
    let outputRate = pump?.sampleRate ?? captureRate
    return SourceStatus(
      mediaId: source.mediaId, isDeferred: source.phase == .deferred, overruns: pump?.queue.overruns ?? 0, captureRate: captureRate,
      outputRate: outputRate, isResampling: captureRate > 0 && outputRate != captureRate, hadAudio: source.hadAudio)
  }
}
