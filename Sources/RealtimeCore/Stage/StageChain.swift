import Synchronization

/// The program's own stages in one chain (S6): the control side.
///
///     capture: voice processing ──▶ stages ──▶ mute ──▶ voice, source
///     render:  sinks, call ──▶ bus ──▶ stages ──▶ volume ──▶ limiter ──▶ speaker
///
/// Stages come and go while audio runs, over 10 ms; neither side waits. A removed stage is freed, and `released` called, when no cycle can
/// hold it any more.
// `@unchecked Sendable`: the list is guarded by a lock that the audio thread never takes; everything else is atomic or immutable.
public final class StageChain: @unchecked Sendable {
  /// Identifies a stage of one chain.
  public struct ID: Hashable, Sendable { fileprivate let number: UInt64 }

  // Both are sound: a pointer belongs to whoever has removed it from the list.
  private struct Entry: @unchecked Sendable {
    let id: ID
    var stage: AudioStage
    let player: UnsafeMutablePointer<StagePlayer>
  }
  /// A replaced table and removed stages, which at most the ticket's cycle still holds.
  private struct Dying: @unchecked Sendable {
    let ticket: UInt64
    let table: UnsafeMutablePointer<StageTable>?
    let gone: [Entry]
  }
  private struct State {
    var entries: [Entry] = []
    var leaving: Set<ID> = []
    var table: UnsafeMutablePointer<StageTable>?
    var dying: [Dying] = []
    var last: UInt64 = 0
  }
  // Not Mutex<State>: its entries hold closures (see Nearend's Callback).
  private let lock = Mutex(())
  private var state = State()
  private let memory: CellBlock
  private let dryLeft, dryRight: Samples
  /// The audio thread's half.
  let runner: StageRunner

  package init() {
    var memory = CellBlock()
    dryLeft = Samples(StageRunner.maximumFrames)
    dryRight = Samples(StageRunner.maximumFrames)
    runner = StageRunner(
      cycle: CycleGuard(memory.next()), table: CounterCell(memory.next()), silenced: CounterCell(memory.next()),
      dryLeft: dryLeft.start, dryRight: dryRight.start)
    self.memory = memory
  }

  /// The audio thread must have stopped for good.
  deinit {
    for dying in state.dying { Self.free(dying) }
    Self.free(Dying(ticket: 0, table: state.table, gone: state.entries))
  }

  /// The declared latency of all stages, in frames. [any]
  public var latency: Int {
    lock.withLock { _ in state.entries.reduce(0) { $0 + (state.leaving.contains($1.id) ? 0 : $1.stage.latency) } }
  }

  /// NaN and infinite samples that stages have output since the chain was made, and that were replaced by silence. Any value but 0 means a
  /// broken stage. [any]
  public var silencedSamples: UInt64 { runner.silenced.load() }

  /// Runs a stage from the next cycle on, after the existing ones. [any except a stage itself]
  @discardableResult
  public func append(_ stage: AudioStage) -> ID {
    let player = Owned(StagePlayer(stage, silenced: runner.silenced)).release()
    return lock.withLock { _ in
      state.last += 1
      let id = ID(number: state.last)
      state.entries.append(Entry(id: id, stage: stage, player: player))
      publish(gone: [])
      return id
    }
  }

  /// Fades a stage out over the next 10 ms of audio; `released` is called when it is gone. Ignored for an unknown id. [any except a stage
  /// itself]
  public func remove(_ id: ID) {
    lock.withLock { _ in
      guard let entry = state.entries.first(where: { $0.id == id }), state.leaving.insert(id).inserted else { return }
      entry.player.pointee.isLeaving.store(1)
    }
  }

  /// Declares a new latency of a stage, in frames. [any except a stage itself]
  func setLatency(_ latency: Int, of id: ID) {
    lock.withLock { _ in
      guard let index = state.entries.firstIndex(where: { $0.id == id }) else { return }
      state.entries[index].stage.latency = max(0, latency)
    }
  }

  /// Frees what no cycle can hold any more. Call this periodically. [any except a stage itself]
  package func collect() {
    let over = lock.withLock { _ in
      let gone = state.entries.filter { state.leaving.contains($0.id) && $0.player.pointee.isGone.loadAcquire() != 0 }
      if !gone.isEmpty {
        let ids = Set(gone.map(\.id))
        state.entries.removeAll { ids.contains($0.id) }
        state.leaving.subtract(ids)
        publish(gone: gone)
      }
      // In order: if one is not over, nor are those after it.
      let over = state.dying.prefix { runner.cycle.isOver($0.ticket) }
      state.dying.removeFirst(over.count)
      return over
    }
    for dying in over { Self.free(dying) }
  }

  /// Requires the lock.
  private func publish(gone: [Entry]) {
    let old = state.table
    state.table = state.entries.isEmpty ? nil : Owned(StageTable(state.entries.map(\.player))).release()
    runner.table.storeSequential(UInt64(UInt(bitPattern: state.table)))
    state.dying.append(Dying(ticket: runner.cycle.ticket(), table: old, gone: gone))
  }

  private static func free(_ dying: Dying) {
    if let table = dying.table { _ = Owned(adopting: table) }
    for entry in dying.gone {
      _ = Owned(adopting: entry.player)
      entry.stage.released?(entry.stage.context)
    }
  }
}
