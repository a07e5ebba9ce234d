import SessionModel

extension Chart {
  /// Charts the last `seconds` of a running nearend: levels, ERLE, echo delay, the load of cycles, each participant's buffer with its
  /// underruns, and the spectrograms of microphone and voice. The axis ends at the newest point.
  ///
  /// - Parameter engine: the engine for echo and noise, which decides what `erle` is.
  package init(_ history: CallHistory, seconds: Double, engine: EchoCanceller) {
    let count = Int((seconds / CallHistory.interval).rounded(.up))
    let columns = HistoryColumns(history, span: seconds, count: count)
    self.seconds = seconds
    let delays = columns.largest(\.echoDelay)
    panels = [
      Panel(
        title: "Level, dBFS", range: -80...0,
        lines: [
          Line(name: "microphone", values: columns.largest(\.microphoneLevel)), Line(name: "voice", values: columns.largest(\.voiceLevel)),
          Line(name: "speaker", values: columns.largest { $0.speakerLevel }),
        ]),
      .echo(columns.largest(\.erle), isOfWebRTC: engine == .webrtc),
      Panel(title: "Echo delay, ms", range: 0...DelayScale.end(holding: delays), lines: [Line(name: "echo delay", values: delays)]),
      Panel(title: "Cycle load, %", range: 0...100, lines: [Line(name: "cycle load", values: columns.largest { $0.busyRatio * 100 })]),
    ]
    for id in Self.participants(of: history.last(seconds)) {
      let underruns = columns.sums { $0.sink(id)?.underruns ?? 0 }
      panels.append(
        Panel(
          title: "\(id): buffer, %", range: 0...100,
          lines: [
            Line(name: "fill", values: columns.largest { $0.sink(id).map { $0.fill * 100 } }),
            Line(name: "\(underruns.reduce(0, +)) underruns", values: underruns.map { $0 > 0 ? 100 : nil }, isMarks: true),
          ]))
    }
    spectrograms = Spectrogram.pair(microphone: columns.bands(\.microphone), voice: columns.bands(\.voice))
  }

  /// In the order of their first appearance.
  private static func participants(of history: CallHistory) -> [String] {
    var ids: [String] = []
    for sink in history.points.lazy.flatMap(\.sinks) where !ids.contains(sink.id) { ids.append(sink.id) }
    return ids
  }
}
