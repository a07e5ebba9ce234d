/// How the microphone is muted (D1). [any]
///
/// Every mode silences the person within one cycle or the path's latency, without a click. They differ as follows:
public enum MicrophoneMuteMode: String, Codable, Sendable, CaseIterable {
  /// Silences the processed voice within one cycle, and restores it within one. Processing continues, so the canceller stays adapted and
  /// talking is detected. The microphone stays open.
  case voiceProcessing
  /// As `voiceProcessing`, and removes the microphone's link, so that the device can suspend and its indicator goes out. Unmuting is
  /// slower, because the link is made and the device starts. Talking is not detected, since nothing is heard.
  case restart
  /// Sets the microphone's gain to zero before processing: the processors hear silence, audio in flight comes through, and the voice is
  /// silent after the path's latency. Talking is detected ahead of the gain, less reliably over the far end than in `voiceProcessing`. The
  /// microphone stays open.
  case inputMixer
}
