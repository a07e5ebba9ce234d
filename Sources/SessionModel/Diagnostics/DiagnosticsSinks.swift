/// Speaker outputs, one after another.
extension Diagnostics {
  mutating func addSpeakerOutputs(_ sinks: [SinkStatus]) {
    add("Speaker Outputs", "\(sinks.count)")
    for sink in sinks { add(sink) }
  }

  private mutating func add(_ sink: SinkStatus) {
    addDetail(1, "\(sink.id): \(sink.sampleRate) Hz, \(sink.channelCount) ch, \(sink.fillBytes) bytes buffered")
    addDetail(2, "Active: \(Self.yesNo(sink.state != .idle)) (\(sink.state.rawValue))")
    addDetail(2, "SSRC: \(sink.ssrc.map { "\($0)" } ?? "None")")
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
