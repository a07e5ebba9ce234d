import SessionModel

/// Where the sound goes (R3, R5). Changes are told by `routeChange` events, with their reason. [any]
extension AudioSessionManager {
  /// The microphone and the speaker in use, or those that will be once something sends or receives; empty without a session, and where
  /// there is no device. Waits for the graph's control thread, never for audio.
  ///
  /// Seed: `AVAudioSession.currentRoute` (R3).
  public var currentRoute: RouteDescription { service?.graph.report.route.current ?? RouteDescription() }

  /// Headphones went, and nothing is played into the room before somebody resumes (R5). False without a session. Waits as `currentRoute`.
  public var isPausedAfterUnplug: Bool { service?.graph.report.route.isPausedAfterUnplug ?? false }

  /// Plays on, in the room, what was paused when headphones went (R5). Where nothing is paused, or without a session: no effect.
  public func resumeAfterUnplug() {
    guard let service, service.graph.report.route.isPausedAfterUnplug else { return }
    service.perform(.resumeAfterUnplug)
  }
}
