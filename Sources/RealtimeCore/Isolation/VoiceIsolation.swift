import Dispatch
import Foundation
import Synchronization

/// Voice isolation as the control side sees it (V12): has what it takes made when it is asked for, and freed when it is not.
///
/// Making it takes half a second, on the thread that makes capture paths. Until then, and where it cannot be made, the mode is as the
/// standard one.
// `@unchecked Sendable`: the state is guarded by a lock that the audio thread never takes; the slot belongs to the audio thread, what it
// holds moves by its mailbox.
public final class VoiceIsolation: @unchecked Sendable {
  /// Makes an isolator, which may take half a second; called on the thread that makes capture paths, or by `prepare`.
  public typealias MakeIsolator = @Sendable () throws(IsolationError) -> any VoiceIsolator

  /// What it is doing. [any]
  public struct Status: Sendable, Equatable {
    /// The isolator's name; nil while there is none.
    public var isolator: String?
    /// Why it cannot be made.
    public var failure: IsolationError?
    /// The voice is as late as isolation makes it.
    public var isInPlace = false
    /// The isolated voice is heard, and not the standard one in its place.
    public var isHeard = false
    /// Blocks of 10 ms that came late since nearend started, or since the counters were cleared, so that the standard voice was heard.
    public var lateBlocks: UInt64 = 0

    /// Creates the status of an isolation that nobody has asked for.
    public init() {}
  }

  private struct Running {
    let stage: UnsafeMutablePointer<IsolationStage>
    let worker: IsolationWorker
    let rate: Int
    let name: String
    let timing: IsolationTiming
  }
  private struct State {
    /// What the audio thread has, or will take.
    var current: Running?
    /// Those that it has still to give back.
    var leaving: [Running] = []
    var made: (rate: Int, result: Result<Running, IsolationError>)?
    var isMaking = false
    var failure: IsolationError?
    /// Looks until the next attempt.
    var patience = 0
    var clearedBlocks: UInt64 = 0
    var isSynchronous = false
  }

  let slot: UnsafeMutablePointer<IsolationSlot>
  private let cells: IsolationCells
  private let controls: CaptureControls
  private let mailbox = Mailbox()
  private let memory: CellBlock
  private let lock = Mutex(())
  private var state = State()
  private var maker: MakeIsolator
  /// The maker is the standard one.
  private var isStandard = true

  /// Looks, ten times a second, between two attempts after a failure that somebody may have mended.
  private static let retryLooks = 20

  init(controls: CaptureControls) {
    var memory = CellBlock(count: IsolationCells.count)
    cells = IsolationCells(&memory)
    self.memory = memory
    self.controls = controls
    slot = .allocate(capacity: 1)
    slot.initialize(to: IsolationSlot(mailbox: mailbox, controls: controls.cells, cells: cells))
    maker = { () throws(IsolationError) -> any VoiceIsolator in try DeepFilter(environment: ProcessInfo.processInfo.environment) }
  }

  /// The audio thread must have stopped for good, and nothing be made any more.
  deinit {
    _ = slot.pointee.takeStage()
    mailbox.post(nil)
    _ = mailbox.collect()
    if case .success(let running)? = state.made?.result { Self.free(running) }
    for running in state.leaving + [state.current].compactMap({ $0 }) { Self.free(running) }
    slot.deinitialize(count: 1)
    slot.deallocate()
    mailbox.deallocate()
  }

  /// Takes another isolator than DeepFilterNet, from the next time on that one is made. [control]
  package func use(_ maker: @escaping MakeIsolator) { lock.withLock { _ in (self.maker, isStandard) = (maker, false) } }

  /// What would keep it from being made, as far as is known without making it. [any]
  public var obstacle: IsolationError? {
    guard lock.withLock({ _ in isStandard }) else { return nil }
    do throws(IsolationError) { _ = try IsolationFiles.find(ProcessInfo.processInfo.environment) } catch { return error }
    return nil
  }

  /// Isolates between the cycles, by `drain`, rather than on a thread: for cycles that run faster than time does. Before anything is made.
  /// [control]
  package var isSynchronous: Bool {
    get { lock.withLock { _ in state.isSynchronous } }
    set { lock.withLock { _ in state.isSynchronous = newValue } }
  }

  /// What it is doing now. [any]
  public var status: Status {
    lock.withLock { _ in
      var status = Status()
      status.isolator = state.current?.name
      status.failure = state.failure
      status.isInPlace = state.current != nil && cells.isInPlace.load() != 0
      status.isHeard = status.isInPlace && cells.isHeard.load() != 0
      status.lateBlocks = cells.lateBlocks.load() &- state.clearedBlocks
      return status
    }
  }

  /// Frames that the mode adds to the voice in cycles of `quantum` frames; 0 while isolation is not in force. [any]
  public func latency(quantum: Int) -> Int {
    lock.withLock { _ in controls.mode == .voiceIsolation ? state.current?.timing.delay(quantum: quantum) ?? 0 : 0 }
  }

  func clearCounters() { lock.withLock { _ in state.clearedBlocks = cells.lateBlocks.load() } }

  /// A Boolean value indicating whether it is being made, or waits for the next `renew`. [control]
  var isMaking: Bool { lock.withLock { _ in state.isMaking } }

  /// Has it made on `queue`, or takes it back, as the mode and the rate want it. Call it periodically. [control]
  func renew(rate: Int, on queue: DispatchQueue) {
    collect()
    guard let maker = lock.withLock({ _ in wanted(rate: rate) }) else { return }
    let isSynchronous = isSynchronous
    queue.async { [self] in
      let result = Self.make(rate: rate, cells, maker, isSynchronous: isSynchronous)
      lock.withLock { _ in state.made = (rate, result) }
    }
  }

  /// The same at once, for the next cycle. [control]
  func prepare(rate: Int, on queue: DispatchQueue) {
    collect()
    // What is being made is waited for.
    queue.sync {}
    guard let maker = lock.withLock({ _ in wanted(rate: rate, isUrgent: true) }) else { return }
    let result = Self.make(rate: rate, cells, maker, isSynchronous: isSynchronous)
    lock.withLock { _ in
      state.made = (rate, result)
      _ = wanted(rate: rate)
    }
  }

  /// Frees what the audio thread has released, and wakes the worker if it rests while there is audio. Call it periodically while cycles
  /// run. [control]
  func collect() {
    let old: Running? = lock.withLock { _ in
      state.current?.worker.wake()
      guard let pointer = mailbox.collect() else { return nil }
      if let current = state.current, UnsafeMutableRawPointer(current.stage) == pointer {
        state.current = nil
        return current
      }
      guard let index = state.leaving.firstIndex(where: { UnsafeMutableRawPointer($0.stage) == pointer }) else { return nil }
      return state.leaving.remove(at: index)
    }
    if let old { Self.free(old) }
  }

  /// Isolates what the last cycle gave, on the thread that runs the cycles; no effect where a thread of its own does that.
  package func drain() {
    let worker = lock.withLock { _ in state.isSynchronous ? state.current?.worker : nil }
    worker?.drain()
  }

  /// Waits until the worker's thread has isolated what the last cycle gave: for tests, whose cycles are faster than it.
  package func waitUntilDone() {
    let worker = lock.withLock { _ in state.current?.worker }
    while let worker, worker.isBusy {
      worker.wake()
      usleep(200)
    }
  }

  /// What has to be made, if anything. Call it with the lock held.
  private func wanted(rate: Int, isUrgent: Bool = false) -> MakeIsolator? {
    if let made = state.made {
      (state.made, state.isMaking) = (nil, false)
      take(made.result, isWanted: made.rate == rate && controls.mode == .voiceIsolation)
    }
    guard controls.mode == .voiceIsolation, rate > 0 else {
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

  private func take(_ result: Result<Running, IsolationError>, isWanted: Bool) {
    switch result {
    case .success(let running):
      guard isWanted else { return Self.free(running) }
      state.failure = nil
      withdraw()
      state.current = running
      mailbox.post(UnsafeMutableRawPointer(running.stage))
    case .failure(let error):
      state.failure = isWanted ? error : nil
      state.patience = Self.retryLooks
    }
  }

  /// Takes back what the audio thread has not taken; what it has it gives back by itself.
  private func withdraw() {
    guard let current = state.current else { return }
    if mailbox.post(nil) != nil {
      state.current = nil
      Self.free(current)
    } else if state.isMaking || controls.mode == .voiceIsolation {
      // Of another rate.
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
      let stage = UnsafeMutablePointer<IsolationStage>.allocate(capacity: 1)
      stage.initialize(to: IsolationStage(timing: timing, input: worker.input, output: worker.output, cells: cells))
      if !isSynchronous { worker.start() }
      return .success(Running(stage: stage, worker: worker, rate: rate, name: isolator.name, timing: timing))
    } catch {
      return .failure(error)
    }
  }

  private static func free(_ running: Running) {
    running.worker.end()
    running.stage.deinitialize(count: 1)
    running.stage.deallocate()
  }
}
