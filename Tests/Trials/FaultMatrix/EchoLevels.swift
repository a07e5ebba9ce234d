import Foundation

/// What a witness hears of the echo in a stretch of time: mean squares at the microphone and of the voice.
struct EchoLevels {
  let microphone, voice: Double

  /// Mean square of the noise that the simulated room adds: −70 dBFS.
  static let roomNoise = 1e-7

  /// Echo return loss enhancement in dB.
  var erle: Double { 10 * log10(microphone / max(voice, 1e-12)) }
  /// The ERLE in dB at which what is left of the echo is as soft as the noise of the room. More of it nobody hears, and it tells nothing
  /// of the filter: until the canceller knows the room's noise, it takes it for echo and suppresses it, too.
  var audible: Double { 10 * log10(microphone / Self.roomNoise) }
}

/// The echo of a cell: before the fault, and after sound was back.
struct EchoRecord {
  let before: EchoLevels
  /// The first half second, in which the canceller may learn.
  var first: EchoLevels?
  /// From then on, `Self.end` at most.
  var after: EchoLevels?

  /// Whether the room hears the speaker afterwards.
  var isHeard = false

  /// Seconds after sound is back in which the canceller may learn.
  static let begin = 0.5
  /// The measurement's end in seconds after sound is back: long enough for seven of the far end's syllables, of 16 dB apart.
  static let end = 1.2
  /// The permitted loss in dB.
  static let tolerance = 3.0

  /// The ERLE in dB that has to be reached; nil if no echo was measured afterwards.
  var wanted: Double? { after.map { min(before.erle, $0.audible) - Self.tolerance } }
  var isKept: Bool { after.map { $0.erle >= wanted ?? 0 } ?? !isHeard }
}
