import SessionModel

/// The audio route (R3, R5). Changes are posted as `routeChange` events, with their reason. [any]
extension AudioSessionManager {
  /// The microphone and the speaker in use, or to be used once something sends or receives; empty without a session or a device. Waits for
  /// the graph's control thread, never for audio.
  ///
  /// Apple: `AVAudioSession.currentRoute` (R3).
  public var currentRoute: RouteDescription { owner.route?.current ?? RouteDescription() }

  /// A Boolean value indicating whether playback is paused because headphones were unplugged (R5). False without a session. Waits as
  /// `currentRoute`.
  public var isPausedAfterUnplug: Bool { owner.route?.isPausedAfterUnplug ?? false }

  /// Resumes, in the room, what was paused when headphones were unplugged (R5). Ignored if nothing is paused, or without a session.
  public func resumeAfterUnplug() { owner.resumeAfterUnplug() }
}
