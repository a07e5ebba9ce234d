/// Who cancels the echo and suppresses the noise, if anybody cancels (V10). [any]
public enum EchoCanceller: String, Codable, Sendable, CaseIterable {
  /// nearend's own, full duplex: who talks at the near end is heard while the far end talks.
  case nearend
  /// webrtc-audio-processing.
  case webrtc
  /// Echo is not cancelled; noise suppression stays with the engine that was chosen last.
  case off
}
