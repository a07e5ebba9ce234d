/// How the microphone is muted (D1; LiveKit's names). [any]
///
/// In each the person is silent within one cycle or the path's latency, and nothing clicks. What differs:
public enum MicrophoneMuteMode: String, Codable, Sendable, CaseIterable {
  /// The processed voice is silent within one cycle and comes back within one; processing goes on, so that the canceller stays adapted, and talking is
  /// noticed. The microphone stays open.
  case voiceProcessing
  /// As `voiceProcessing`, and the microphone's link is removed, so that the device can be suspended and its indicator goes out. Slower to unmute: the link
  /// is made and the device starts. Talking is not noticed, since nothing is heard.
  case restart
  /// The microphone's gain is zero before processing: the processors hear silence, what was under way comes through, and the voice is silent after the
  /// path's latency. Talking is noticed ahead of the gain, over the far end less surely than in `voiceProcessing`. The microphone stays open.
  case inputMixer
}
