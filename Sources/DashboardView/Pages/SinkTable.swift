import SessionModel

/// A column of the table of participants. Wider terminals show more of them, in this order.
enum SinkColumn: Int, CaseIterable {
  case id, state, fill, percent, bytes, underruns, drops, peak, gain
  case format, drift, ratio, rms, kind, ssrc, written, read
  /// For participants on other machines only.
  case loss, jitter, latency

  /// Returns the columns by priority. The effects of a network on a participant take precedence over those of a buffer.
  static func all(hasRemote: Bool) -> [SinkColumn] {
    let local = allCases.filter { ![.loss, .jitter, .latency].contains($0) }
    guard hasRemote else { return local }
    let first: [SinkColumn] = [.id, .state, .fill, .percent, .loss, .jitter, .latency, .peak, .gain, .ssrc]
    return first + local.filter { !first.contains($0) }
  }

  var title: String {
    switch self {
    case .id: ""
    case .state: "state"
    case .fill: "buffer"
    case .percent: "fill"
    case .bytes: "bytes"
    case .underruns: "under"
    case .drops: "drops"
    case .peak: "peak"
    case .gain: "gain dB"
    case .format: "format"
    case .drift: "drift"
    case .ratio: "ratio"
    case .rms: "RMS"
    case .kind: "kind"
    case .ssrc: "SSRC"
    case .written: "written"
    case .read: "read"
    case .loss: "loss"
    case .jitter: "jitter"
    case .latency: "latency"
    }
  }

  /// Its width in columns.
  var width: Int {
    switch self {
    case .id: 11
    case .state: 9
    case .fill: 8
    case .percent: 4
    case .bytes: 11
    case .underruns, .drops, .peak, .rms: 6
    case .gain: 7
    case .format: 23
    case .drift: 9
    case .ratio: 8
    case .kind: 6
    case .ssrc: 10
    case .written, .read: 7
    case .loss, .jitter: 6
    case .latency: 7
    }
  }

  var isLeftAligned: Bool { self == .id || self == .state || self == .fill || self == .format || self == .kind }

  func text(_ sink: SinkStatus, rate: Int) -> String {
    switch self {
    case .id: sink.id
    case .state: sink.state.word
    case .fill: sink.kind == .graph ? "direct" : ""
    case .percent: sink.kind == .graph ? "-" : Numbers.percent(sink.fill)
    case .bytes: sink.kind == .graph ? "-" : Numbers.bytes(sink.fillBytes) + "/" + Numbers.bytes(sink.capacityBytes)
    case .underruns: Self.run(sink.consecutiveUnderruns, sink.totalUnderruns, width: width)
    case .drops: Self.run(sink.consecutiveDrops, sink.totalDrops, width: width)
    case .peak: Numbers.level(sink.peak)
    case .gain: sink.isMuted ? "MUTED" : Numbers.gain(sink.gain, unit: "")
    case .format: Self.format(sink, rate: rate)
    case .drift: decimal(sink.driftPPM, 0, sign: true) + " ppm"
    case .ratio: decimal(sink.resampleRatio, 5)
    case .rms: Numbers.level(sink.rms)
    case .kind: sink.kind.word
    case .ssrc: sink.ssrc.map(String.init) ?? "-"
    case .written: Numbers.count(sink.framesWritten)
    case .read: Numbers.count(sink.framesRead)
    case .loss: Self.ofPeer(sink) { decimal($0.lossPercent, 1) + " %" }
    case .jitter: Self.ofPeer(sink) { decimal($0.jitter, 0) + " ms" }
    // Without a measured round trip, the latency of the network is missing.
    case .latency: Self.ofPeer(sink) { decimal($0.latency, 0) + ($0.roundTrip == nil ? " ms+" : " ms") }
    }
  }

  private static func ofPeer(_ sink: SinkStatus, _ text: (RemoteStatus) -> String) -> String {
    sink.remote.flatMap { $0.peer == nil ? nil : text($0) } ?? "-"
  }

  func style(_ sink: SinkStatus) -> Style {
    switch self {
    case .state: sink.state.style
    case .gain: sink.isMuted ? .caution : .plain
    case .underruns: sink.consecutiveUnderruns > 0 ? .caution : .plain
    case .drops: sink.consecutiveDrops > 0 ? .caution : .plain
    case .loss: (sink.remote?.lossPercent ?? 0) >= 3 ? .caution : .plain
    default: .plain
    }
  }

  /// "2/14": in the current run, and in total. If too wide, "118/2k", and finally only the total.
  private static func run(_ consecutive: UInt64, _ total: UInt64, width: Int) -> String {
    let all = Numbers.short(total, decimals: 1)
    let forms = [
      "\(consecutive)/\(total)", "\(consecutive)/\(all)", Numbers.short(consecutive, decimals: 0) + "/" + Numbers.short(total, decimals: 0),
    ]
    return forms.first { $0.count <= width } ?? all
  }

  /// "44100 Hz 1 ch → 48000".
  static func format(_ sink: SinkStatus, rate: Int) -> String {
    let format = "\(sink.sampleRate) Hz \(sink.channelCount) ch"
    return sink.isResampling && rate > 0 ? format + " → \(rate)" : format
  }
}

/// The table of participants, as wide as the terminal allows.
struct SinkTable {
  private var columns: [(column: SinkColumn, x: Int, width: Int)] = []

  init(width: Int, hasRemote: Bool) {
    var used = 2
    var shown: [SinkColumn] = []
    for column in SinkColumn.all(hasRemote: hasRemote) {
      guard used + column.width + (shown.isEmpty ? 0 : 1) <= width - 1 else { break }
      used += column.width + (shown.isEmpty ? 0 : 1)
      shown.append(column)
    }
    let spare = width - 1 - used
    let forName = min(spare / 2, 29)
    let forBar = min(spare - forName, 32)
    var x = 2
    for column in shown {
      let extra = column == .id ? forName : column == .fill ? forBar : 0
      columns.append((column, x, column.width + extra))
      x += column.width + extra + 1
    }
  }

  /// Draws the columns' titles, and how many of the sinks are shown.
  func drawHeader(_ y: Int, shown: Int, of count: Int, on canvas: inout Canvas) {
    for (column, x, width) in columns {
      canvas.put(column.title, x, y, .heading, width: width, align: column.isLeftAligned ? .left : .right)
    }
    let noun = count == 1 ? "sink" : "sinks"
    canvas.put(shown < count ? "\(shown)/\(count) \(noun)" : "\(count) \(noun)", 1, y, .heading, width: SinkColumn.id.width + 1)
  }

  func draw(_ sink: SinkStatus, _ y: Int, rate: Int, isSelected: Bool, on canvas: inout Canvas) {
    if isSelected { canvas.put(String(canvas.glyphs.selected), 0, y, .selection) }
    for (column, x, width) in columns {
      if column == .fill, sink.kind == .ring {
        canvas.bar(sink.fill, x, y, width: width, style: sink.state == .underrun ? .barHigh : .barLow, mark: sink.targetFill)
      } else {
        let style = isSelected && column == .id ? .selection : column.style(sink)
        canvas.put(column.text(sink, rate: rate), x, y, style, width: width, align: column.isLeftAligned ? .left : .right)
      }
    }
  }

  /// Draws the rows around the selected sink that fit into `rows`.
  func draw(_ snapshot: Snapshot, _ state: ViewState, rows: Range<Int>, on canvas: inout Canvas) {
    let selected = state.selectedSink(in: snapshot.sinks)
    let range = Self.window(around: selected ?? 0, count: snapshot.sinks.count, rows: rows.count)
    for (row, index) in zip(rows, range) {
      draw(snapshot.sinks[index], row, rate: snapshot.graph.rate, isSelected: index == selected, on: &canvas)
    }
  }

  /// The range of `count` lines to show in `rows` rows, with the selected one in the middle if possible.
  static func window(around selected: Int, count: Int, rows: Int) -> Range<Int> {
    let rows = max(0, min(rows, count))
    let first = min(max(0, selected - rows / 2), count - rows)
    return first..<first + rows
  }
}
