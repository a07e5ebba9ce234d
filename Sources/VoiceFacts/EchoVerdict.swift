/// Whether echo cancellation works, as the capture path measures it and the screen shows it (V6). [any]
package enum EchoVerdict: String, Codable, Sendable {
  /// Voice processing, echo cancellation or the microphone is off, voice processing is bypassed, or nothing records.
  case off
  /// No echo of the far end has been heard for 2 s, or nothing that follows it: it is silent, or plays into headphones.
  case nothingToCancel
  /// Echo has been heard for less than 5 s since it was last cancelled, or at all; or what has been heard for less may be one.
  case converging
  /// Echo is reduced by `leastReduction` or more, by nearend's filter to a good part, or it is so soft that this does not matter.
  case cancelling
  /// More than 5 s of echo have been heard since it was last cancelled. It is reduced by `leastReduction` or more, but only nearend's
  /// suppressor does that, which takes the near end away, too, while both talk.
  case suppressing
  /// More than 5 s of echo have been heard since it was last cancelled, and it is not reduced by `leastReduction`.
  case failing

  /// The reduction in dB from which on an echo counts as cancelled.
  package static var leastReduction: Float {
    @_noLocks @_noAllocation get { 15 }
  }

  /// The verdict for people.
  package var words: String {
    switch self {
    case .off: "off"
    case .nothingToCancel: "nothing to cancel"
    case .converging: "converging"
    case .cancelling: "cancelling"
    case .suppressing: "only hidden"
    case .failing: "NOT CANCELLED"
    }
  }
}
