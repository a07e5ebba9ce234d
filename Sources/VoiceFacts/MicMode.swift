/// How the room around the voice is treated, as in Apple's mic modes (V12). [any]
public enum MicMode: String, Codable, Sendable, CaseIterable {
  /// Echo is cancelled, and noise suppressed if noise suppression is on.
  case standard
  /// Only the voice remains, isolated by a neural network, which delays it by some 50 ms.
  case voiceIsolation
  /// Echo is cancelled, and everything else in the room is heard unchanged.
  case wideSpectrum

  /// A description for people.
  public var words: String {
    switch self {
    case .standard: "standard"
    case .voiceIsolation: "voice isolation"
    case .wideSpectrum: "wide spectrum"
    }
  }
}
