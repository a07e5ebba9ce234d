/// Tells since when a microphone has given nothing but digital silence since it was opened: it is switched off, or another one is meant.
/// Pure. [any]
///
/// One that has sounded may be a gate, and is silent by intent.
package struct MicrophoneSilence: Sendable {
  /// Seconds of silence that are no pause of the talker's.
  package static let longest = 15.0

  private var silent: (microphone: String, since: Double)?
  private var heard: String?

  package init() {}

  /// - Parameters:
  ///   - microphone: the node name of the open microphone, muted by nobody; nil for none.
  ///   - isRecording: whether somebody records: the next one hears a microphone anew.
  ///   - peak: what comes from it, linear, 1 is full scale.
  ///   - now: seconds of a monotonic clock.
  package mutating func update(_ microphone: String?, isRecording: Bool, peak: Float, at now: Double) {
    if !isRecording { heard = nil }
    guard let microphone else { return silent = nil }
    // −100 dBFS
    if peak > 1e-5 { heard = microphone }
    if heard == microphone {
      silent = nil
    } else if silent?.microphone != microphone {
      silent = (microphone, now)
    }
  }

  /// Returns for how many seconds it has been silent; nil if it has sounded, or is not open.
  package func seconds(at now: Double) -> Double? { silent.map { max(0, now - $0.since) } }
}
