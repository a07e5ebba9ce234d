/// Adds speaker outputs, one after another.
extension Diagnostics {
  mutating func addSpeakerOutputs(_ sinks: [SinkStatus]) {
    add("Speaker Outputs", "\(sinks.count)")
    for sink in sinks { add(sink) }
  }

  private mutating func add(_ remote: RemoteStatus) {
    let peer = remote.peer.map { "from \($0)" } ?? "nothing received"
    addDetail(2, "Remote: \(peer) at \(remote.address), \(remote.channels) ch, \(decimal(remote.packetTime, 1)) ms packets")
    addDetail(
      2,
      "Packets: \(remote.packets) came, \(remote.lost) lost (\(decimal(remote.lossPercent, 1)) % of the last 10 s), "
        + "\(remote.late) of them late, \(remote.duplicates) doubled, \(remote.refused) refused\(remote.lastRefusal.map { " (last: \($0))" } ?? "")"
    )
    let roundTrip = remote.roundTrip.map { "\(decimal($0, 1)) ms" } ?? "not told"
    addDetail(
      2, "Network: jitter \(decimal(remote.jitter, 1)) ms, latency \(decimal(remote.latency, 1)) ms, round trip \(roundTrip)")
  }

  /// Adds the destinations of the voice; nothing if there are none.
  mutating func addSends(_ sends: [SendStatus]) {
    guard !sends.isEmpty else { return }
    add("Voice Sent", "\(sends.count)")
    for send in sends {
      addDetail(1, "\(send.id): to \(send.address), SSRC \(send.ssrc), \(decimal(send.packetTime, 1)) ms packets")
      addDetail(2, "Packets: \(send.packets) sent, \(send.failures) not\(send.failure.map { " (now failing: \($0))" } ?? "")")
      if let loss = send.lossPercent, let jitter = send.jitter {
        addDetail(2, "There: loss \(decimal(loss, 1)) %, jitter \(decimal(jitter, 1)) ms")
      }
    }
  }

  private mutating func add(_ sink: SinkStatus) {
    addDetail(1, "\(sink.id): \(sink.sampleRate) Hz, \(sink.channelCount) ch, \(sink.fillBytes) bytes buffered")
    addDetail(2, "Active: \(Self.yesNo(sink.state != .idle)) (\(sink.state.rawValue))")
    addDetail(2, "SSRC: \(sink.ssrc.map { "\($0)" } ?? "None")")
    if let remote = sink.remote { add(remote) }
    switch sink.kind {
    case .ring:
      addDetail(2, "Resampling: \(Self.yesNo(sink.isResampling)), ratio \(decimal(sink.resampleRatio, 6))")
      addDetail(2, "Buffer: \(sink.fillBytes)/\(sink.capacityBytes) bytes (\(decimal(sink.fill * 100, 1)) %)")
      addDetail(2, "Samples: \(sink.framesWritten) written, \(sink.framesRead) read (per channel)")
      addDetail(2, "Underruns: \(sink.consecutiveUnderruns) consecutive, \(sink.totalUnderruns) total")
      addDetail(2, "Frame drops: \(sink.consecutiveDrops) consecutive, \(sink.totalDrops) total")
      addDetail(2, "Jitter: \(decimal(sink.jitter, 1)) ms, \(sink.jitterSpikes) spikes; drift \(decimal(sink.driftPPM, 1)) ppm")
    case .graph: addDetail(2, "A PipeWire device: no buffer, no resampling")
    }
    addDetail(2, "Gain: \(decimal(sink.gain, 2))\(sink.isMuted ? ", muted" : ""), level \(Self.level(sink.peak))")
  }
}
