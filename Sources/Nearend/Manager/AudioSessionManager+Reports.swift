import SessionModel

/// What a program reports, and what is reported to it. [any]
extension AudioSessionManager {
  /// A speaker output's first write of a run that found no room; `writeSpeakerData` reports it by itself. Without that output: no effect.
  ///
  /// Seed: `notifySinkFrameDropEventWithMediaId:consecutive:total:` (K6).
  public func notifySinkFrameDrop(mediaId: String, consecutive: UInt64, total: UInt64) {
    guard session.sinks.contains(mediaId) else { return }
    bus.post(.sinkFrameDrop, mediaId: mediaId, detail: ["consecutive": .integer(Int(consecutive)), "total": .integer(Int(total))])
  }
}
