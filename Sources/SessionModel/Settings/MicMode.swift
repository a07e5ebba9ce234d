/// What becomes of the room around the voice, as Apple's mic modes (V12). [any]
public enum MicMode: String, Codable, Sendable, CaseIterable {
  /// Echo is cancelled, and noise suppressed where that is switched on.
  case standard
  /// Nothing but the voice, by a neural network, which makes it some 50 ms later.
  case voiceIsolation
  /// Echo is cancelled, and everything else in the room is heard as it is.
  case wideSpectrum

  /// For people.
  public var words: String {
    switch self {
    case .standard: "standard"
    case .voiceIsolation: "voice isolation"
    case .wideSpectrum: "wide spectrum"
    }
  }
}
