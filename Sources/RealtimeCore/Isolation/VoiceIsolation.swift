import Foundation
internal import Platform
import Synchronization

/// The control side of voice isolation (V12): makes what isolation needs when the mode is chosen, and frees it when it is left.
///
/// Making takes half a second, on the thread that makes capture paths. Until it is done, or if it fails, the mode acts as the standard one.
// `@unchecked Sendable`: the state is guarded by a lock that the audio thread never takes; the slot belongs to the audio thread, and its
// content moves through a mailbox.
package final class VoiceIsolation: @unchecked Sendable {
  /// Makes an isolator, which may take half a second; called on the thread that makes capture paths, or by `prepare`.
  package typealias MakeIsolator = @Sendable () throws(IsolationError) -> any VoiceIsolator

  /// The state of voice isolation at one instant. [any]
  package struct Status: Sendable, Equatable {
    /// The isolator's name; nil while there is none.
    package var isolator: String?
    /// Why no isolator can be made.
    package var failure: IsolationError?
    /// Whether the voice is delayed for isolation.
    package var isInPlace = false
    /// Whether the isolated voice is heard, rather than the standard one in its place.
    package var isHeard = false
    /// Late blocks of 10 ms, replaced by the standard voice, since nearend started or the counters were cleared.
    package var lateBlocks: UInt64 = 0

    /// Creates the status of an isolation that was never requested.
    package init() {}
  }

  // `@unchecked Sendable`: the stage belongs to the audio thread from its posting to its collection, the rest is immutable.
  private final class Running: @unchecked Sendable {
    let stage: Owned<IsolationStage>
    let worker: IsolationWorker
    let rate: Int
    let name: String
    let timing: IsolationTiming

    init(stage: consuming IsolationStage, worker: IsolationWorker, rate: Int, name: String, timing: IsolationTiming) {
      self.stage = Owned(stage)
      (self.worker, self.rate, self.name, self.timing) = (worker, rate, name, timing)
    }

    deinit { worker.end() }
  }
  private struct State {
    /// The instance that the audio thread has, or will take.
    var current: Running?
    /// Instances that it has yet to return.
    var leaving: [Running] = []
    var made: (rate: Int, result: Result<Running, IsolationError>)?
    var isMaking = false
    var failure: IsolationError?
    /// Polls until the next attempt.
    var patience = 0
    var clearedBlocks: UInt64 = 0
    var isSynchronous = false
  }

  let slot: Owned<IsolationSlot>
  private let cells: IsolationCells
  private let controls: CaptureControls
  private let mailbox: Mailbox
  private let memory: CellBlock
  private let lock = Mutex(())
  private var state = State()
  private var maker: MakeIsolator
  /// Whether the maker is the standard one.
  private var isStandard = true

  /// Polls, ten a second, between two attempts after a failure, which may have been remedied meanwhile.
  private static let retryLooks = 20

  init(controls: CaptureControls) {
    var memory = CellBlock()
    cells = IsolationCells(&memory)
    mailbox = Mailbox(&memory)
    self.memory = memory
    self.controls = controls
    slot = Owned(IsolationSlot(mailbox: mailbox, controls: controls.cells, cells: cells))
    maker = { () throws(IsolationError) -> any VoiceIsolator in try DeepFilter(environment: ProcessInfo.processInfo.environment) }
  }

  /// The audio thread must have stopped for good, and nothing may still be being made.
  deinit {
    _ = slot.pointer.pointee.releaseStage()
    mailbox.post(nil)
    _ = mailbox.collect()
    state = State()
  }

  /// Replaces DeepFilterNet as the isolator, from the next one made on. [control]
  package func use(_ maker: @escaping MakeIsolator) { lock.withLock { _ in (self.maker, isStandard) = (maker, false) } }

  /// The obstacle to making an isolator, as far as is known without making one. [any]
  package var obstacle: IsolationError? {
    guard lock.withLock({ _ in isStandard }) else { return nil }
    do throws(IsolationError) { _ = try IsolationFiles.find(ProcessInfo.processInfo.environment) } catch { return error }
    return nil
  }

  /// Isolates between the cycles, by `drain`, rather than on a thread: for cycles that run faster than real time. Set it before anything is
  /// made. [control]
  package var isSynchronous: Bool {
    get { lock.withLock { _ in state.isSynchronous } }
    set { lock.withLock { _ in state.isSynchronous = newValue } }
  }

  /// The current state. [any]
  package var status: Status {
    lock.withLock { _ in
      var status = Status()
      status.isolator = state.current?.name
      status.failure = state.failure
      status.isInPlace = state.current != nil && cells.isInPlace.load()
      status.isHeard = status.isInPlace && cells.isHeard.load()
      status.lateBlocks = cells.lateBlocks.load() &- state.clearedBlocks
      return status
    }
  }

  /// Frames that the mode adds to the voice in cycles of `quantum` frames; 0 while isolation is not in force. [any]
  package func latency(quantum: Int) -> Int {
    lock.withLock { _ in controls.micMode == .voiceIsolation ? state.current?.timing.delay(quantum: quantum) ?? 0 : 0 }
  }

  func clearCounters() { lock.withLock { _ in state.clearedBlocks = cells.lateBlocks.load() } }

  /// Whether an instance is being made, or waits for the next `renew`. [control]
  var isMaking: Bool { lock.withLock { _ in state.isMaking } }

  /// Makes the stage on `thread`, or withdraws it, according to mode and rate. Call this periodically. [control]
  func renew(rate: Int, on thread: SerialThread) {
    collect()
    guard let maker = lock.withLock({ _ in wanted(rate: rate) }) else { return }
    let isSynchronous = isSynchronous
    thread.async { [self] in
      let result = Self.make(rate: rate, cells, maker, isSynchronous: isSynchronous)
      lock.withLock { _ in state.made = (rate, result) }
    }
  }

  /// As `renew`, but completes before the next cycle. [control]
  func prepare(rate: Int, on thread: SerialThread) {
    collect()
    // Waits for an instance that is being made.
    thread.flush()
    guard let maker = lock.withLock({ _ in wanted(rate: rate, isUrgent: true) }) else { return }
    let result = Self.make(rate: rate, cells, maker, isSynchronous: isSynchronous)
    lock.withLock { _ in
      state.made = (rate, result)
      _ = wanted(rate: rate)
    }
  }

  /// Frees what the audio thread has released, and wakes the worker if it is parked while there is audio. Call this periodically while
  /// cycles run. [control]
  func collect() {
    let old: Running? = lock.withLock { _ in
      state.current?.worker.wake()
      guard let pointer = mailbox.collect() else { return nil }
      if let current = state.current, UnsafeMutableRawPointer(current.stage.pointer) == pointer {
        state.current = nil
        return current
      }
      guard let index = state.leaving.firstIndex(where: { UnsafeMutableRawPointer($0.stage.pointer) == pointer }) else { return nil }
      return state.leaving.remove(at: index)
    }
    withExtendedLifetime(old) {}
  }

  /// Isolates the last cycle's audio, on the thread that runs the cycles; no effect if the worker has a thread of its own.
  package func drain() {
    let worker = lock.withLock { _ in state.isSynchronous ? state.current?.worker : nil }
    worker?.drain()
  }

  /// Waits until the worker's thread has isolated the last cycle's audio: for tests, whose cycles outrun it.
  package func waitUntilDone() {
    let worker = lock.withLock { _ in state.current?.worker }
    while let worker, worker.isBusy {
      worker.wake()
      usleep(200)
    }
  }

  /// Returns the maker if an instance has to be made. Requires the lock.
  private func wanted(rate: Int, isUrgent: Bool = false) -> MakeIsolator? {
    if let made = state.made {
      (state.made, state.isMaking) = (nil, false)
      handle(made.result, isWanted: made.rate == rate && controls.micMode == .voiceIsolation)
    }
    guard controls.micMode == .voiceIsolation, rate > 0 else {
      state.failure = nil
      withdraw()
      return nil
    }
    guard state.current?.rate != rate, !state.isMaking else { return nil }
    if state.failure != nil, !isUrgent {
      state.patience -= 1
      if state.patience > 0 { return nil }
    }
    withdraw()
    state.isMaking = true
    return maker
  }

  private func handle(_ result: Result<Running, IsolationError>, isWanted: Bool) {
    switch result {
    case .success(let running):
      guard isWanted else { return }
      state.failure = nil
      withdraw()
      state.current = running
      mailbox.post(UnsafeMutableRawPointer(running.stage.pointer))
    case .failure(let error):
      state.failure = isWanted ? error : nil
      state.patience = Self.retryLooks
    }
  }

  /// Withdraws a stage that the audio thread has not taken; one that it has taken, it returns by itself.
  private func withdraw() {
    guard let current = state.current else { return }
    if mailbox.post(nil) != nil {
      state.current = nil
    } else if state.isMaking || controls.micMode == .voiceIsolation {
      // Made for another rate.
      state.current = nil
      state.leaving.append(current)
    }
  }

  private static func make(
    rate: Int, _ cells: IsolationCells, _ maker: MakeIsolator, isSynchronous: Bool
  ) -> Result<Running, IsolationError> {
    do throws(IsolationError) {
      let isolator = try maker()
      let worker = try IsolationWorker(isolator, rate: rate)
      let timing = IsolationTiming(rate: rate, isolatorDelay: isolator.delay)
      let stage = IsolationStage(timing: timing, input: worker.input, output: worker.output, cells: cells)
      if !isSynchronous { worker.start() }
      return .success(Running(stage: stage, worker: worker, rate: rate, name: isolator.name, timing: timing))
    } catch {
      return .failure(error)
    }
  }
}
