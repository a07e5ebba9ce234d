import SessionModel

/// One row per participant, and the details of the selected one below.
enum ParticipantsPage {
  private static let detailRows = 7

  /// Rows of the table.
  static func visibleRows(_ snapshot: Snapshot, _ size: Size) -> Int {
    max(1, Chrome.body(snapshot, size).count - 1 - detailRows)
  }

  static func draw(_ snapshot: Snapshot, _ state: ViewState, _ body: Range<Int>, on canvas: inout Canvas) {
    let table = SinkTable(width: canvas.width, hasRemote: snapshot.sinks.contains { $0.remote != nil })
    let rows = visibleRows(snapshot, canvas.frame.size)
    table.drawHeader(body.lowerBound, shown: min(rows, snapshot.sinks.count), of: snapshot.sinks.count, on: &canvas)
    guard let selected = state.selectedSink(in: snapshot.sinks) else {
      canvas.put("no participants: they appear when a program registers a speaker output", 2, body.lowerBound + 1, .faint)
      return
    }
    let top = body.lowerBound + 1
    table.draw(snapshot, state, rows: top..<top + rows, on: &canvas)
    drawDetail(snapshot.sinks[selected], number: selected + 1, snapshot, body.upperBound - detailRows, &canvas)
  }

  private static func network(_ remote: RemoteStatus) -> String {
    guard let peer = remote.peer else {
      return "\(remote.address), nothing received" + (remote.refused > 0 ? ", \(remote.refused) refused: \(remote.lastRefusal ?? "")" : "")
    }
    let network = remote.roundTrip.map { ", round trip \(decimal($0, 0)) ms" } ?? " plus network delay"
    return
      "lost \(remote.lost) of \(remote.packets &+ remote.lost) (\(decimal(remote.lossPercent, 1)) %), jitter "
      + "\(decimal(remote.jitter, 0)) ms, latency \(decimal(remote.latency, 0)) ms\(network), from \(peer)"
  }

  private static func drawDetail(_ sink: SinkStatus, number: Int, _ snapshot: Snapshot, _ y: Int, _ canvas: inout Canvas) {
    canvas.rule(y, "\(number) of \(snapshot.sinks.count): \(sink.id)")
    let gain = "\(Numbers.gain(sink.gain)) (\(decimal(sink.gain, 2)))"
    let ssrc = sink.ssrc.map { ", SSRC \($0)" } ?? ""
    let isDevice = sink.kind == .graph
    let buffer =
      isDevice
      ? "none: its device is linked to the filter"
      : "\(sink.fillBytes) of \(sink.capacityBytes) bytes (\(Numbers.percent(sink.fill))), target \(Numbers.percent(sink.targetFill))"
    let resampling = sink.isResampling ? ", resampled" : ", not resampled"
    let rows: [(String, String)] = [
      ("State", "\(sink.state.word), \(sink.kind.word) sink, \(sink.isMuted ? "MUTED" : "not muted"), gain \(gain)\(ssrc)"),
      ("Buffer", buffer),
      (
        "Format",
        SinkColumn.format(sink, rate: snapshot.graph.rate) + resampling
          + ", ratio \(decimal(sink.resampleRatio, 6)), drift \(decimal(sink.driftPPM, 1, sign: true)) ppm"
      ),
      (
        "Counters",
        "underruns \(sink.consecutiveUnderruns) in a row, \(sink.totalUnderruns) in all; "
          + "drops \(sink.consecutiveDrops) in a row, \(sink.totalDrops) in all"
      ),
      sink.remote.map { ("Network", network($0)) } ?? ("Frames", "\(sink.framesWritten) written, \(sink.framesRead) read"),
    ]
    for (index, row) in rows.enumerated() {
      canvas.put(row.0, 1, y + 1 + index, .label)
      canvas.put(row.1, 12, y + 1 + index, width: canvas.width - 13)
    }
    let last = y + 1 + rows.count
    canvas.put("Level", 1, last, .label)
    let numbers = "peak \(Numbers.dBFS(sink.peak)), RMS \(Numbers.dBFS(sink.rms))"
    canvas.meter(sink.peak, 12, last, width: canvas.width - 12 - 35)
    canvas.put(numbers, canvas.width - 34, last, width: 33)
  }
}
