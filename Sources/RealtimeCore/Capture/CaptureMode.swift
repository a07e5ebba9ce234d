/// What becomes of the room around the voice (V12). [any]
public enum CaptureMode: UInt32, Sendable, CaseIterable {
  /// Echo is cancelled, and noise suppressed where that is switched on.
  case standard = 0
  /// Nothing but the voice, by a neural network.
  case voiceIsolation = 1
  /// Echo is cancelled, and the room left alone.
  case wideSpectrum = 2
}
