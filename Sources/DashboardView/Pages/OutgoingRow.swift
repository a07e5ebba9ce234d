import SessionModel

/// One row about what goes out besides the plain voice, shown only if something differs from the defaults.
struct OutgoingRow {
  let text: String

  /// nil if everything is at its default.
  init?(_ snapshot: Snapshot) {
    let (session, app) = (snapshot.session, snapshot.appAudio)
    var parts: [String] = []
    if session.isRecordingAlwaysPrepared { parts.append("prepared") }
    if session.microphoneMuteMode != .voiceProcessing { parts.append("mute mode \(session.microphoneMuteMode.rawValue)") }
    let isUsed = !app.sources.isEmpty || app.isSounding
    let how = [
      app.appVolume == 1 ? nil : percent(app.appVolume),
      app.duckGain < -0.5 ? "ducked" : app.isDucking ? "ducks" : nil, app.isMonitored ? "monitored" : nil,
    ].compactMap { $0 }
    if isUsed || !how.isEmpty {
      let level = !isUsed ? "" : app.isSounding ? " \(Numbers.dBFS(app.level))" : " silent"
      parts.append("app\(level)\(how.isEmpty ? "" : " (\(how.joined(separator: ", ")))")")
    }
    for send in snapshot.sends {
      let there = send.failure.map { "FAILING: \($0)" } ?? send.lossPercent.map { "remote loss \(decimal($0, 1)) %" }
      parts.append("to \(send.address)\(there.map { " (\($0))" } ?? "")")
    }
    if app.micVolume != 1 { parts.append("mic \(percent(app.micVolume))") }
    if snapshot.outputVolume != 1 { parts.append("output \(percent(snapshot.outputVolume))") }
    guard !parts.isEmpty else { return nil }
    text = parts.joined(separator: ", ")
  }
}
