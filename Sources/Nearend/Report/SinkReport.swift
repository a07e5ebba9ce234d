import RealtimeCore
import SessionModel

extension SinkStatus {
  /// `isHeard`: the session runs; otherwise levels are silent.
  init(_ sink: RingSink, isHeard: Bool) {
    let status = sink.status()
    self.init(
      id: sink.id, kind: .ring, state: State(status.state), sampleRate: sink.format.sampleRate, channelCount: sink.format.channelCount,
      fillBytes: status.fillBytes, capacityBytes: sink.capacityBytes, targetFill: status.targetFill,
      consecutiveUnderruns: status.consecutiveUnderruns, totalUnderruns: status.totalUnderruns, consecutiveDrops: status.consecutiveDrops,
      totalDrops: status.totalDrops, framesWritten: status.framesWritten, framesRead: status.framesRead, isResampling: status.isResampling,
      resampleRatio: status.resampleRatio, driftPPM: status.driftPPM, jitter: status.jitter * 1000,
      jitterSpikes: status.jitterSpikes, gain: sink.gain.inFewestDigits, isMuted: sink.isMuted,
      peak: decibels(isHeard ? status.peak : 0),
      rms: decibels(isHeard ? status.rms : 0), ssrc: sink.ssrc)
  }

  /// `rate` is the graph's, the only one a graph sink has. `isUsed`: an application plays into its device.
  init(_ sink: GraphSink, rate: Int, isUsed: Bool, isHeard: Bool) {
    let status = sink.status()
    self.init(
      id: sink.id, kind: .graph, state: isUsed ? .playing : .idle, sampleRate: rate, channelCount: 2, gain: sink.gain.inFewestDigits,
      isMuted: sink.isMuted, peak: decibels(isHeard ? status.peak : 0), rms: decibels(isHeard ? status.rms : 0), ssrc: sink.ssrc)
  }
}

extension SinkStatus.State {
  init(_ state: RingSinkStatus.State) {
    switch state {
    case .idle: self = .idle
    case .buffering: self = .buffering
    case .playing: self = .playing
    case .underrun: self = .underrun
    }
  }
}

extension Mixer {
  /// Returns one row per participant, in the order of registration.
  func sinkStatuses(rate: Int, used: Set<String>, isHeard: Bool) -> [SinkStatus] {
    ids.compactMap { id in
      if let sink = ringSink(id: id) { return SinkStatus(sink, isHeard: isHeard) }
      return graphSink(id: id).map { SinkStatus($0, rate: rate, isUsed: used.contains(id), isHeard: isHeard) }
    }
  }
}
