import RealtimeCore
import SessionModel

extension NearendService {
  /// `registerMicrophoneInputCallback` (L5): calls `callback` with `context` on the audio thread, each cycle in which the session runs, with what is left after
  /// voice processing, in `captureChannelCount` channels. The media must have been registered to send. Returns why not, where it is refused. [any]
  public func registerMicrophoneInput(
    mediaId: String, context: UnsafeMutableRawPointer?, callback: @escaping MicrophoneCallback
  ) -> SessionRefusal? {
    session.register(RegisteredSource(mediaId: mediaId, .callback(RealtimeConsumer(callback: callback, context: context))))
  }

  /// When it returns, the callback is not running and is not called again, or the stream has ended. Another id than the source's has no effect (L5).
  /// Never to be called by the callback itself. [any, but the audio thread]
  public func unregisterMicrophoneInput(mediaId: String) { session.send(.unregisterSource(mediaId: mediaId)) }

  /// Registers a source that is an asynchronous sequence, for a media that was registered to send (L5). [any]
  ///
  /// - Parameters:
  ///   - mediaId: of the media.
  ///   - sampleRate: Hz, 8000…192000; nil is the graph's rate of now, 48000 before its first cycle.
  ///   - channelCount: 1 or 2; nil is `captureChannelCount`.
  public func openMicrophone(mediaId: String, sampleRate: Int? = nil, channelCount: Int? = nil) throws(SourceError) -> MicrophoneStream {
    try openMicrophone(mediaId: mediaId, sampleRate: sampleRate, channelCount: channelCount, capacity: SourceQueue.defaultCapacity)
  }

  /// - Parameter capacity: of the queue, in words.
  func openMicrophone(mediaId: String, sampleRate: Int?, channelCount: Int?, capacity: Int) throws(SourceError) -> MicrophoneStream {
    let graphRate = core.cycleMeters.rate
    let rate = sampleRate ?? (graphRate > 0 ? graphRate : 48_000)
    guard MicrophoneStream.sampleRates.contains(rate) else { throw .impossibleSampleRate(rate) }
    let channels = channelCount ?? session.current.settings.captureChannelCount
    guard MicrophoneStream.channelCounts.contains(channels) else { throw .impossibleChannelCount(channels) }
    let pump = try SourcePump(sampleRate: rate, channelCount: channels, capacity: capacity)
    let source = RegisteredSource(mediaId: mediaId, .pump(pump))
    if let refusal = session.register(source) { throw .refused(refusal) }
    return MicrophoneStream(pump: pump, core: core) { [session] in session.unregister(source) }
  }

  /// The source, if there is one: for diagnostics and telemetry (`reportSourceResampling`, `reportSourceAudioActivity`). [any]
  public var sourceStatus: SourceStatus? {
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
