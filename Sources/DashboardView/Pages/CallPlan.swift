import SessionModel

/// Which rows the Call page has: what a person in a call needs always, the others by importance as far as there is room (U6).
struct CallPlan: Equatable {
  /// A row that is not always there.
  enum Extra: Hashable { case outgoing, mode, modeReason, graph, latency, driver }

  private(set) var extras: Set<Extra> = []
  /// Rows of the table of participants below its header; 0 without participants, and then there is no header.
  private(set) var sinkRows = 0

  init(_ snapshot: Snapshot, rows: Int) {
    // Route and volumes, rehearsal, processing, levels.
    var free = rows - 3 - (snapshot.rehearsal == nil ? 0 : 1) - 6 - 4
    let count = snapshot.sinks.count
    /// Adds rows if that many then remain.
    func add(_ extra: [Extra], leaving rest: Int) {
      guard free - extra.count >= rest else { return }
      extras.formUnion(extra)
      free -= extra.count
    }
    let header = count == 0 ? 0 : 1
    let (least, some) = (header + min(count, 2) + 1, header + min(count, 3) + 2)
    let mode = snapshot.processing.micMode
    if snapshot.graph.trouble != nil { add([.graph], leaving: least) }
    if mode.requested != .standard { add(mode.isHindered ? [.mode, .modeReason] : [.mode], leaving: least - 1) }
    if OutgoingRow(snapshot) != nil { add([.outgoing], leaving: least) }
    if !extras.contains(.graph) { add([.graph], leaving: least) }
    if !extras.contains(.mode) { add([.mode], leaving: some) }
    // Only where there is ample room: nobody needs these in a call.
    add([.latency, .driver], leaving: max(some, 9))
    guard count > 0 else { return }
    let forLog = free <= 6 ? 1 : max(3, free / 3)
    sinkRows = max(1, min(count, free - header - forLog))
  }
}

extension GraphStatus {
  /// What is wrong with the graph, in a few words; nil if nothing is.
  var trouble: String? {
    if !isConnected { return "not connected to PipeWire" }
    if recent.lostShare > 1e-3 { return "\(Numbers.short(recent.lost, decimals: 1)) lost in 3 min" }
    return busyRatioPeak >= 0.5 ? "peak \(decimal(busyRatioPeak * 100, 0)) %" : nil
  }
}
