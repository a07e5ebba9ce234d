import Border
import Foundation
import Platform
import SessionModel

/// Reports: the host's state, with this program's own part in it.
extension JoinedSession {
  /// The host's own snapshot; nil while the host is away.
  var hostSnapshot: Snapshot? {
    guard let link, let document = try? link.request("GET", "/status") else { return nil }
    return try? HostLink.decoder.decode(Snapshot.self, from: document)
  }

  var nodeId: UInt32? { hostSnapshot?.graph.nodeId }
  var route: RouteStatus { hostSnapshot?.route ?? RouteStatus() }

  /// Returns the host's snapshot, with this program's session, outputs and source in place of the host's.
  func snapshot() -> Snapshot {
    var snapshot = hostSnapshot ?? Snapshot(version: nearendVersion)
    let (session, names, outputs) = shared.withLock { ($0.session, $0.host?.names ?? [:], $0.outputs) }
    let talks = snapshot.session.isTalkingWhileMuted
    snapshot.session = SessionStatus(
      session, interruption: interruption, interruptions: records, isMicrophoneMuted: value(of: .microphoneMuted) == true)
    snapshot.session.isTalkingWhileMuted = talks
    let rows = snapshot.sinks
    snapshot.sinks = session.sinks.compactMap { id in
      guard let output = outputs[id] else { return nil }
      if var row = names[id].flatMap({ name in rows.first { $0.id == name } }) {
        row.id = id
        return row
      }
      return SinkStatus(
        id: id, sampleRate: output.format.sampleRate, channelCount: output.format.channelCount, capacityBytes: output.capacity,
        totalDrops: output.totalDrops, gain: output.gain, isMuted: output.isMuted, ssrc: output.ssrc)
    }
    snapshot.source = source(session, graphRate: snapshot.graph.rate)
    return snapshot
  }

  private func source(_ session: SessionState, graphRate: Int) -> SourceStatus? {
    guard let source = session.source else { return nil }
    let registered = slot.current
    let pump = registered?.mediaId == source.mediaId ? registered?.pump : nil
    let rate = pump?.sampleRate ?? graphRate
    return SourceStatus(
      mediaId: source.mediaId, isDeferred: source.phase == .deferred, overruns: pump?.queue.overruns ?? 0, captureRate: graphRate,
      outputRate: rate, isResampling: graphRate > 0 && rate != graphRate, hadAudio: source.hadAudio)
  }

  private func report() -> ServiceReport {
    let snapshot = snapshot()
    var report = ServiceReport(snapshot: snapshot, session: state)
    report.host = link.map { "nearend \($0.welcome.nearend.printable(atMost: 40)), process \($0.welcome.process)" } ?? "away"
    report.outputVolume = snapshot.outputVolume
    report.cpuSeconds = processorSeconds()
    report.events = tally.counts
    return report
  }

  func diagnostics() -> String { Diagnostics(report()).text }
  func telemetryJSON() -> String? { report().telemetryJSON() }
}
