/// Who cancels the echo and suppresses the noise (V10). [any]
public enum VoiceEngine: String, Sendable, CaseIterable {
  /// nearend's own, full duplex: who talks at the near end is heard while the far end talks.
  case nearend
  /// webrtc-audio-processing.
  case webrtc

  /// "nearend", or the library and its generation.
  public var name: String {
    switch self {
    case .nearend: "nearend"
    case .webrtc: CapturePath.library
    }
  }
}
