import Glibc

/// Detects whether anybody in the call speaks, near or far (D3). Pure; times are given, in seconds. [any]
package struct VoiceActivity: Sendable, Equatable {
  /// Seconds for which a pause between words still counts as speech.
  package static let hold = 1.0
  /// Linear RMS of nearend's mix above which the far end speaks: −45 dBFS.
  package static let farEndLevel: Float = 0.0056

  private var last: Double?

  package init() {}

  /// Updates with the current levels. `near`: the near end speaks and is not muted.
  package mutating func update(near: Bool, far: Float, at time: Double) { if near || far > Self.farEndLevel { last = time } }

  package func hasVoice(at time: Double) -> Bool { last.map { time < $0 + Self.hold } ?? false }

  /// Returns the time at which the current speech will have ended; nil if it already has.
  package func end(after time: Double) -> Double? { hasVoice(at: time) ? last.map { $0 + Self.hold } : nil }
}

func decibelsToLinear(_ decibels: Double) -> Double { pow(10, decibels / 20) }
