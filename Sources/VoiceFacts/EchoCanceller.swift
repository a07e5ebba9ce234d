/// The engine that cancels echo and suppresses noise, or none for echo (V10). [any]
public enum EchoCanceller: String, Codable, Sendable, CaseIterable {
  /// nearend's own, full duplex: the near end is heard while the far end talks.
  case nearend
  /// webrtc-audio-processing.
  case webrtc
  /// Does not cancel echo; noise suppression stays with the engine that was chosen last.
  case off

  /// The engines: all but `off`.
  package static let engines: [EchoCanceller] = [.nearend, .webrtc]
}
