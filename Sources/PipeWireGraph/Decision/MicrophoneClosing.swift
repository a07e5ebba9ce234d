/// Decides when the device of a muted microphone is suspended (D1, mode restart); a session manager would wait another 5 s. Given the time,
/// in seconds.
struct MicrophoneClosing {
  private var closed: UInt32?
  /// How often it was suspended since the mute, and when last.
  private var count = 0
  private var time = 0.0

  /// Suspensions after one mute: each may be heard from the other devices of its group.
  private static let most = 5
  /// Seconds before another.
  private static let pause = 0.5

  /// Takes the microphone that is to be closed; nil if it is to be open. Returns whether to suspend it now: once it has no links.
  mutating func look(_ microphone: UInt32?, isLinked: Bool, at now: Double) -> Bool {
    guard let microphone else {
      (closed, count) = (nil, 0)
      return false
    }
    guard closed != microphone, !isLinked else { return false }
    closed = microphone
    (count, time) = (count + 1, now)
    return true
  }

  /// Takes whether it runs. Returns whether to look again, because the daemon has woken it: it runs the devices of a group together,
  /// whichever of them begins.
  mutating func wasWoken(isRunning: Bool, at now: Double) -> Bool {
    guard closed != nil, count < Self.most, now > time + Self.pause, isRunning else { return false }
    closed = nil
    return true
  }
}
