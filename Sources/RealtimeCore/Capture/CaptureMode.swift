/// How the room around the voice is treated (V12). [any]
package enum CaptureMode: UInt32, Sendable, CaseIterable {
  /// Echo is cancelled, and noise suppressed if noise suppression is on.
  case standard = 0
  /// Only the voice remains, isolated by a neural network.
  case voiceIsolation = 1
  /// Echo is cancelled, and the sound of the room kept.
  case wideSpectrum = 2
}
