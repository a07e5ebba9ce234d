import RealtimeCore
import SessionModel

/// Speaker outputs: one per remote participant (K1, K2, K8). [any]
extension AudioSessionManager {
  /// Creates a ring for the PCM of receive media, which is mixed with the others' (K1).
  /// - Parameters:
  ///   - mediaId: the id of media registered to receive.
  ///   - sampleRate: Hz, 8000–192000.
  ///   - channelCount: 1 (played on both sides) or 2.
  ///   - bufferSize: the ring's size in bytes; 200 ms is a good size: `sampleRate * channelCount * 2 / 5`.
  /// - Returns: false if the media is not registered to receive or has an output already, or the format is impossible; the log says which.
  ///
  /// LiveSwitch: `registerSpeakerOutputWithMediaId:sampleRate:channelCount:bufferSize:`.
  public func registerSpeakerOutput(mediaId: String, sampleRate: Int, channelCount: Int, bufferSize: Int) -> Bool {
    let reason: String?
    do throws(SinkError) {
      let format = try SinkFormat(sampleRate: sampleRate, channelCount: channelCount)
      reason = try owner.makeSink(id: mediaId, format: format, capacityBytes: bufferSize)?.description
    } catch {
      reason = error.description
    }
    if let reason { owner.log.add(.warning, "speaker output '\(mediaId)': \(reason)") }
    return reason == nil
  }

  /// Ends a speaker output with a fade-out, and frees its ring. Ignored for an unknown id. LiveSwitch:
  /// `unregisterSpeakerOutputWithMediaId:`.
  public func unregisterSpeakerOutput(mediaId: String) { owner.removeSink(id: mediaId) }

  /// Writes interleaved native-endian Int16 in the registered format, whole or not at all (K2). Fast, and never waits for a session that
  /// starts or stops.
  /// - Returns: false, with nothing written, if the ring is full, the id unknown, or the data not a whole number of frames. The first write
  ///   of a run that finds the ring full is reported as `sinkFrameDrop` (K6).
  ///
  /// LiveSwitch: `writeSpeakerDataWithMediaId:data:length:`.
  public func writeSpeakerData(mediaId: String, data: UnsafeRawBufferPointer) -> Bool {
    owner.write(data, to: mediaId) == .written
  }

  /// Writes samples, as above.
  public func writeSpeakerData(mediaId: String, data: [Int16]) -> Bool {
    data.withUnsafeBytes { writeSpeakerData(mediaId: mediaId, data: $0) }
  }

  /// Ids of the speaker outputs, including participants' devices (K9), in the order of registration: those counted by diagnostics and by
  /// telemetry's `sinkCount`. LiveSwitch: `registeredSpeakerOutputMediaIds`.
  public var registeredSpeakerOutputMediaIds: [String] { owner.sinkIds }

  // MARK: Levels (K7)

  /// Sets the linear gain of a speaker output, 0–4 (clamped), with a ramp. Default 1. Ignored for an unknown id, or NaN.
  public func setSpeakerOutputGain(mediaId: String, gain: Double) { owner.setGain(gain, ofSink: mediaId) }

  /// Mutes a speaker output, with a ramp, while it continues to be read. Default false. Ignored for an unknown id.
  public func setSpeakerOutputMuted(mediaId: String, isMuted: Bool) { owner.setMuted(isMuted, ofSink: mediaId) }

  /// The current state of a speaker output: gain, mute, peak and RMS in dBFS, fill, underruns, drops, drift; nil for an unknown id. Waits
  /// for the graph's control thread, never for audio.
  public func speakerOutputStatus(mediaId: String) -> SinkStatus? { owner.status(ofSink: mediaId) }

  /// The states of all speaker outputs, in the order of `registeredSpeakerOutputMediaIds`.
  public var speakerOutputStatuses: [SinkStatus] { owner.sinks }
}
