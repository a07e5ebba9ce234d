/// Decides when to suspend the device of a muted microphone (D1, mode restart), for which a session manager would wait another 5 s. Times
/// are given, in seconds.
struct MicrophoneClosing {
  private var closed: UInt32?
  /// The number of suspensions since the mute, and the time of the last.
  private var count = 0
  private var time = 0.0

  /// Suspensions per mute: each may be audible on the other devices of its group.
  private static let most = 5
  /// Seconds between suspensions.
  private static let pause = 0.5

  /// Updates with the microphone to close; nil if it is to be open. Returns whether to suspend it now, which requires that it has no links.
  mutating func update(_ microphone: UInt32?, isLinked: Bool, at now: Double) -> Bool {
    guard let microphone else {
      (closed, count) = (nil, 0)
      return false
    }
    guard closed != microphone, !isLinked else { return false }
    closed = microphone
    (count, time) = (count + 1, now)
    return true
  }

  /// Updates with whether the microphone runs, which is asked only while it matters. Returns whether to call `update` again, because the
  /// daemon has woken it: the daemon runs the devices of a group together, whichever of them starts.
  mutating func wasWoken(isRunning: @autoclosure () -> Bool, at now: Double) -> Bool {
    guard closed != nil, count < Self.most, now > time + Self.pause, isRunning() else { return false }
    closed = nil
    return true
  }
}
