/// Tells since when a microphone has given nothing but digital silence, although it should sound: it is switched off, or another one is
/// meant. Pure. [any]
///
/// One that has sounded may be a gate, and is silent by intent; but no gate stays open for half a minute, without the shortest pause.
package struct MicrophoneSilence: Sendable {
  /// Seconds of silence that are no pause of the talker's.
  package static let longest = 15.0
  /// Seconds of sound without a pause after which a microphone is no gate.
  private static let steady = 30.0

  private var silent: (microphone: String, since: Double)?
  private var heard: String?
  /// The last stretch of sound without a pause.
  private var sound = (pauses: UInt32.zero, since: -Double.infinity, until: -Double.infinity)

  package init() {}

  /// - Parameters:
  ///   - microphone: the node name of the open microphone, muted by nobody; nil for none.
  ///   - isRecording: whether somebody records: the next one hears a microphone anew.
  ///   - peak: what comes from it, linear, 1 is full scale.
  ///   - pauses: how often it has paused for 0.1 s or more.
  ///   - now: seconds of a monotonic clock.
  package mutating func update(_ microphone: String?, isRecording: Bool, peak: Float, pauses: UInt32, at now: Double) {
    if !isRecording { heard = nil }
    guard let microphone else {
      (sound.since, sound.until, silent) = (now, now, nil)
      return
    }
    if peak > CaptureMeters.digitalSilence {
      if heard != microphone || pauses != sound.pauses { (sound.pauses, sound.since) = (pauses, now) }
      (heard, sound.until, silent) = (microphone, now, nil)
    } else if heard == microphone, sound.until - sound.since < Self.steady {
      silent = nil
    } else if silent?.microphone != microphone {
      silent = (microphone, now)
    }
  }

  /// Returns for how many seconds it has been silent; nil if it sounds, pauses, or is not open.
  package func seconds(at now: Double) -> Double? { silent.map { max(0, now - $0.since) } }
}
