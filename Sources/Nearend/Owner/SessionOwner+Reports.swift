import RealtimeCore
import SessionModel

/// What the session says of itself, and the route (T1, T2, R3, R5, S7). [any]
extension SessionOwner {
  /// Describes the complete state for people, with or without a session.
  var diagnostics: String {
    if SourceTap.isInCallback { return "No diagnostics: \(Self.mustNotWait)" }
    return driven?.diagnostics() ?? Diagnostics(reportAtRest()).text
  }

  /// Describes the state for a server; nil if it cannot be encoded.
  var telemetryJSON: String? {
    if SourceTap.isInCallback { return nil }
    if let driven { return driven.telemetryJSON() }
    return reportAtRest().telemetryJSON()
  }

  /// Waits for the graph's control thread; nil in a microphone's callback.
  var route: RouteStatus? { waitable?.route }

  /// Resumes what was paused when headphones were unplugged (R5). Ignored if nothing is paused.
  func resumeAfterUnplug() {
    if isPostponed({ $0.resumeAfterUnplug() }) { return }
    guard let driven, driven.route.isPausedAfterUnplug else { return }
    driven.perform(.resumeAfterUnplug)
  }

  /// The filter in the graph, if there is one. Waits for the graph's control thread; nil in a microphone's callback.
  var unit: SharedUnit? {
    guard let driven = waitable, driven.state.isUnitInitialised, let nodeId = driven.nodeId else { return nil }
    let status = SessionStatus(driven.state, interruption: driven.interruption, isMicrophoneMuted: self[isOn: .microphoneMuted])
    return SharedUnit(nodeId: nodeId, state: status.state)
  }

  private func reportAtRest() -> ServiceReport {
    let session = self.session
    let controls = CaptureControls()
    controls.usesVoiceProcessing = session.settings.usesVoiceProcessing
    for setting in Setting.live { controls.set(setting, to: value(of: setting)) }
    // The canceller may be off, and the engine is that chosen last.
    controls.engine = current.withLock { $0.kept.settings[.echoCanceller]?.word() ?? .nearend }
    var snapshot = Snapshot(version: nearendVersion)
    snapshot.session = SessionStatus(session, interruption: nil, isMicrophoneMuted: self[isOn: .microphoneMuted])
    snapshot.processing = ProcessingStatus(
      controls: controls, meters: CaptureMeters(), render: (0, 1), isSending: false, streamDelay: 0)
    snapshot.log = log.all
    return ServiceReport(snapshot: snapshot, session: session)
  }
}

/// The filter node, read-only. [any]
public struct SharedUnit: Sendable, Equatable {
  /// Its id in PipeWire's graph, for `pw-cli info <id>`.
  public let nodeId: UInt32
  /// The session's phase when the unit was requested; it does not follow the session.
  public let state: SessionStatus.State
}
