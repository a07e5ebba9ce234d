import RealtimeCore
import SessionModel

/// The sinks and the source of registered media, and application audio. [any]
extension SessionOwner {
  // MARK: Sinks

  /// Creates the sink of media that receives (K1); returns or throws the reason if it is refused.
  func makeSink(id: String, format: SinkFormat, capacityBytes: Int) throws(SinkError) -> SessionRefusal? {
    if SourceTap.isInCallback { throw .refused(id: id, reason: Self.mustNotWait) }
    guard let driven else { return .unknownMedia(id: id) }
    return try driven.registerSink(id: id, format: format, capacityBytes: capacityBytes)
  }

  /// Ends a sink with a fade-out. Ignored for an unknown id.
  func removeSink(id: String) { send(.unregisterSink(mediaId: id)) }

  /// Writes to a sink, whole or not at all (K2). The first write of a run that finds it full is reported (K6). nil for an unknown id.
  func write(_ data: UnsafeRawBufferPointer, to id: String) -> RingSink.Outcome? { driven?.writeToSink(id: id, data) }

  /// Reports what a program has dropped itself.
  func noteDrop(id: String, consecutive: UInt64, total: UInt64) {
    if isPostponed({ $0.noteDrop(id: id, consecutive: consecutive, total: total) }) { return }
    driven?.notifySinkFrameDrop(mediaId: id, consecutive: consecutive, total: total)
  }

  /// Bytes that fit into a sink now; nil for an unknown id.
  func room(ofSink id: String) -> Int? { driven?.sinkRoom(id: id) }

  /// Ids of the sinks, in the order of registration.
  var sinkIds: [String] { driven?.sinkIds ?? [] }

  /// The states of the sinks, in the order of `sinkIds`. Waits for the graph's control thread; empty in a microphone's callback.
  var sinks: [SinkStatus] { waitable?.snapshot().sinks ?? [] }

  func status(ofSink id: String) -> SinkStatus? { sinks.first { $0.id == id } }

  /// Linear, 0–4 (clamped). Ignored for an unknown id, or NaN.
  func setGain(_ gain: Double, ofSink id: String) {
    if isPostponed({ $0.setGain(gain, ofSink: id) }) { return }
    guard let driven, !gain.isNaN, driven.sinkIds.contains(id) else { return }
    driven.perform(.setSinkGain(id: id, min(max(gain, 0), 4)))
  }

  /// Ignored for an unknown id.
  func setMuted(_ isMuted: Bool, ofSink id: String) {
    if isPostponed({ $0.setMuted(isMuted, ofSink: id) }) { return }
    guard let driven, driven.sinkIds.contains(id) else { return }
    driven.perform(.setSinkMuted(id: id, isMuted))
  }

  func setSSRC(_ ssrc: UInt32, ofSink id: String) {
    if isPostponed({ $0.setSSRC(ssrc, ofSink: id) }) { return }
    driven?.updateSsrc(mediaId: id, ssrc: ssrc)
  }

  // MARK: The source

  /// Delivers the microphone to a callback on the audio thread (L5, S3); returns the reason if it is refused.
  func registerSource(id: String, context: UnsafeMutableRawPointer?, callback: @escaping MicrophoneCallback) -> SessionRefusal? {
    guard let driven else { return .unknownMedia(id: id) }
    return driven.registerMicrophoneInput(mediaId: id, context: context, callback: callback)
  }

  /// Delivers the microphone as a sequence of buffers.
  func openSource(id: String, sampleRate: Int?, channelCount: Int?) throws(SourceError) -> MicrophoneStream {
    guard let driven else { throw .refused(.unknownMedia(id: id)) }
    return try driven.openMicrophone(mediaId: id, sampleRate: sampleRate, channelCount: channelCount)
  }

  /// Ignored for any id but the source's.
  func removeSource(id: String) { send(.unregisterSource(mediaId: id)) }

  /// Ignored for any id but the source's (T5).
  func reportAudio(ofSource id: String) { driven?.reportSourceAudioActivity(mediaId: id) }

  /// Ignored for any id but the source's (T5). Rates are in Hz.
  func reportResampling(ofSource id: String, captureRate: Int, outputRate: Int, isResampling: Bool) {
    driven?.reportSourceResampling(mediaId: id, captureRate: captureRate, outputRate: outputRate, isResampling: isResampling)
  }

  // MARK: Application audio

  /// Plays a buffer into the outgoing microphone (D4); returns the reason if it is refused whole.
  func capture(_ buffer: AppAudioBuffer) -> MicrophonePlayError? {
    if SourceTap.isInCallback { return .unavailable }
    guard let driven else { return .notSending }
    guard hooks.hasMixer else { return .notMixed }
    return driven.play(appAudio: buffer)
  }
}
