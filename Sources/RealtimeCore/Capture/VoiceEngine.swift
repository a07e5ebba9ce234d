/// The engine that cancels echo and suppresses noise (V10). [any]
package enum VoiceEngine: String, Sendable, CaseIterable {
  /// nearend's own, full duplex: the near end is heard while the far end talks.
  case nearend
  /// webrtc-audio-processing.
  case webrtc

  /// "nearend", or the library with its generation.
  package var name: String {
    switch self {
    case .nearend: "nearend"
    case .webrtc: CapturePath.library
    }
  }
}
