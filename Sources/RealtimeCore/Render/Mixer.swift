import Synchronization

/// Mixes participants and the call to the speaker: the control side. `renderPath` is its half on the audio thread.
///
/// Sinks come and go while audio runs: each change publishes a new table, and what the old one held is freed when no cycle can hold it any
/// more. No call here waits for the audio thread, and the audio thread never waits for a call here, whether cycles run or not.
// `@unchecked Sendable`: the registry is guarded by a lock that the audio thread never takes; everything else is atomic or immutable.
package final class Mixer: @unchecked Sendable {
  /// The largest number of ring sinks, and of graph sinks.
  package static let capacity = 1_024

  /// The audio thread's half; valid as long as the mixer. Only the thread that runs the cycle may access it:
  /// `renderPath.pointee.process(…)`.
  package var renderPath: UnsafeMutablePointer<RenderPath> { path.pointer }
  private let path: Owned<RenderPath>

  private let cells: MixerCells
  private let level: LevelReading
  private let memory: CellBlock
  private let lock = Mutex(())
  private var registry = Registry()
  /// The program's own stages, on the mix before its volume and the limiter (S6).
  package let stages = StageChain()

  /// Creates a mixer without sinks: stereo, unity gain, not muted. [control]
  package init() {
    var memory = CellBlock()
    cells = MixerCells(&memory)
    let meter = LevelMeter(&memory)
    level = meter.reading
    self.memory = memory
    path = Owned(RenderPath(cells: cells, meter: meter, stages: stages.runner))
  }

  /// The audio thread must have stopped calling `process` for good.
  deinit {
    for retired in registry.retired { _ = Owned(adopting: retired.table) }
    if let table = registry.table { _ = Owned(adopting: table) }
  }

  /// Plays `sink` from the next cycle on. A sink belongs to one mixer, and cannot be added again once removed.
  /// Throws `.alreadyRegistered` or `.tooManySinks`. [control]
  package func add(_ sink: RingSink) throws(SinkError) {
    try change { () throws(SinkError) in
      try registry.admit(sink.id, besides: registry.rings.count)
      registry.rings.append(sink)
      registry.ids.append(sink.id)
    }
  }

  /// Makes a graph sink with a free slot, and plays that slot's audio from the next cycle on.
  /// Throws `.alreadyRegistered` or `.tooManySinks`. [control]
  package func addGraphSink(id: String) throws(SinkError) -> GraphSink {
    try change { () throws(SinkError) in
      try registry.admit(id, besides: registry.graphs.count)
      let taken = Set(registry.graphs.map(\.slot))
      let sink = GraphSink(id: id, slot: (0..<Self.capacity).first { !taken.contains($0) }!)
      registry.graphs.append(sink)
      registry.ids.append(id)
      return sink
    }
  }

  /// Removes a sink; a playing ring sink fades out and refuses every later write. Returns false if there is none of that id. [control]
  @discardableResult
  package func remove(id: String) -> Bool {
    let removed: Bool? = try? change { () throws(SinkError) in
      guard let position = registry.ids.firstIndex(of: id) else { return false }
      registry.ids.remove(at: position)
      if let index = registry.rings.firstIndex(where: { $0.id == id }) {
        let sink = registry.rings.remove(at: index)
        sink.close()
        registry.leaving.append(Registry.Leaving(sink: sink, sinceCycle: cells.cycle.cycles, since: .now))
      }
      registry.graphs.removeAll { $0.id == id }
      return true
    }
    return removed ?? false
  }

  /// Frees what the audio thread has released. Every change does so, too; call it from a status poll as well, so that the last removed sink
  /// does not linger. [control]
  package func collect() {
    stages.collect()
    lock.withLock { _ in
      if registry.leaving.contains(where: { $0.isOver(cycle: cells.cycle.cycles) }) { publish() }
      free()
    }
  }

  /// Ids in the order of registration (K8). [any]
  package var ids: [String] { lock.withLock { _ in registry.ids } }
  /// The ring sink of that id. [any]
  package func ringSink(id: String) -> RingSink? { lock.withLock { _ in registry.rings.first { $0.id == id } } }
  /// The graph sink of that id. [any]
  package func graphSink(id: String) -> GraphSink? { lock.withLock { _ in registry.graphs.first { $0.id == id } } }
  /// In the order of registration. [any]
  package var ringSinks: [RingSink] { lock.withLock { _ in registry.rings } }
  /// In the order of registration. [any]
  package var graphSinks: [GraphSink] { lock.withLock { _ in registry.graphs } }

  /// Linear gain of the whole mix, 0–4; ramps over 10 ms. Values outside are clamped; NaN is ignored. [any]
  package var masterGain: Float {
    get { cells.master.gain }
    set { cells.master.gain = newValue }
  }
  /// Mutes the whole mix within 10 ms. [any]
  package var isMuted: Bool {
    get { cells.master.isMuted.load() }
    set { cells.master.isMuted.store(newValue) }
  }

  /// Channels of the mix: 2, or 1 if both speakers play the mean of left and right. [any]
  package var channelCount: Int {
    get { cells.isMono.load() ? 1 : 2 }
    set { cells.isMono.store(newValue == 1) }
  }

  /// Pauses: the mix is silent after 10 ms, and ring sinks keep their audio: no underrun, and a full ring refuses writes (R5). Afterwards a
  /// sink whose writer waited continues where it stopped; one that had to refuse frames starts over with new audio. [any]
  package var isPaused: Bool {
    get { cells.isPaused.load() }
    set { cells.isPaused.store(newValue) }
  }

  /// Cycles begun since the mixer was made; constant while none runs. [any]
  package var cycles: UInt64 { cells.cycle.cycles }
  /// The speaker's linear peak, following `MeterBallistics`. [any]
  package var speakerPeak: Float { level.peak }
  /// The speaker's linear RMS over the last 300 ms. [any]
  package var speakerRMS: Float { level.rms }
  /// The limiter's lowest recent linear gain, returning to 1 as `MeterBallistics` decays; 1 if it did nothing. [any]
  package var limiterGain: Float { 1 - Float(cells.reduction.load()) }

  // MARK: - Publishing

  private func change<Value: Sendable>(_ body: () throws(SinkError) -> Value) throws(SinkError) -> Value {
    try lock.withLock { _ throws(SinkError) in
      let value = try body()
      publish()
      free()
      return value
    }
  }

  private func publish() {
    let kept = registry.tableKeeps
    let now = cells.cycle.cycles
    registry.leaving.removeAll { $0.isOver(cycle: now) }
    let table = Owned(
      SinkTable(
        rings: registry.rings.map { SinkTable.Ring(player: $0.player.pointer, isLeaving: false) }
          + registry.leaving.map { SinkTable.Ring(player: $0.sink.player.pointer, isLeaving: true) },
        graphs: registry.graphs.map { $0.player.pointer })
    ).release()
    // Pairs with the load in RenderPath.render, inside the cycle's guard.
    cells.table.storeSequential(UInt64(UInt(bitPattern: table)))
    if let old = registry.table {
      registry.retired.append(Registry.Retired(table: old, keeps: kept, ticket: cells.cycle.ticket()))
    }
    registry.table = table
    registry.tableKeeps = registry.rings + registry.leaving.map(\.sink) + registry.graphs
  }

  private func free() {
    registry.retired.removeAll { retired in
      guard cells.cycle.isOver(retired.ticket) else { return false }
      _ = Owned(adopting: retired.table)
      return true
    }
  }
}

/// What a mixer holds: the registered sinks, and those that are kept because a cycle may still hold them.
private struct Registry {
  struct Leaving {
    let sink: RingSink
    let sinceCycle: UInt64
    let since: ContinuousClock.Instant

    /// Returns whether a whole cycle has begun since, so that the fade is on the bus, or whether none runs, so that nothing fades.
    func isOver(cycle: UInt64) -> Bool { cycle > sinceCycle + 1 || since.duration(to: .now) > .seconds(1) }
  }
  struct Retired {
    let table: UnsafeMutablePointer<SinkTable>
    /// The sinks whose memory the table points into.
    let keeps: [AnyObject]
    let ticket: UInt64
  }

  var ids: [String] = []
  var rings: [RingSink] = []
  var graphs: [GraphSink] = []
  var leaving: [Leaving] = []
  var table: UnsafeMutablePointer<SinkTable>?
  var tableKeeps: [AnyObject] = []
  var retired: [Retired] = []

  func admit(_ id: String, besides count: Int) throws(SinkError) {
    if ids.contains(id) { throw .alreadyRegistered(id: id) }
    if count >= Mixer.capacity { throw .tooManySinks(limit: Mixer.capacity) }
  }
}
