import Dispatch
internal import Glibc
internal import Platform

/// Isolates the voice outside the audio thread: reads it from one FIFO, at the graph's rate, and writes as many frames to the other.
///
/// Polls every 2 ms while there is audio, because the audio thread must not wake another thread, and parks after 0.2 s without audio until
/// `wake`. One thread at a time drains: its own, or for a synchronous worker the one that runs the cycles.
// `@unchecked Sendable`: the draining thread owns all but the FIFOs and the semaphores, which two threads share; the flags are atomic.
final class IsolationWorker: @unchecked Sendable {
  var input: FrameFIFO { inputRing.fifo }
  var output: FrameFIFO { outputRing.fifo }
  private let inputRing, outputRing: FrameRing
  private let isolator: any VoiceIsolator
  /// The isolator's rate over the graph's.
  private let ratio: Double
  private let toIsolator, fromIsolator: VoiceResampler?
  private var taken: [Float]
  /// At 48 kHz, less than a block after each round.
  private var gathered: [Float] = []
  private var block: [Float]
  /// Backlog beyond which audio is discarded: it would come too late.
  private let longestBacklog: Int

  private let memory: CellBlock
  private let isParked, isEnding: FlagCell
  private let signal = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private var isRunning = false

  /// - Parameters:
  ///   - isolatorRate: the rate of the isolator's input.
  ///   - channels: samples per frame, more than 1 at the graph's rate only: the isolator takes blocks of `channels` × 480 interleaved
  ///     samples.
  /// - Throws: `IsolationError.outOfMemory`.
  init(_ isolator: any VoiceIsolator, rate: Int, isolatorRate: Int = IsolationTiming.isolatorRate, channels: Int = 1) throws(IsolationError)
  {
    var memory = CellBlock()
    isParked = FlagCell(memory.next())
    isEnding = FlagCell(memory.next())
    self.memory = memory
    self.isolator = isolator
    ratio = Double(isolatorRate) / Double(rate)
    let converts = rate != isolatorRate
    toIsolator = converts ? VoiceResampler() : nil
    fromIsolator = converts ? VoiceResampler() : nil
    if converts, toIsolator == nil || fromIsolator == nil { throw .outOfMemory }
    block = [Float](repeating: 0, count: IsolationTiming.block * channels)
    longestBacklog = (rate / 4 + 2 * CoreState.maximumQuantum) * channels
    taken = [Float](repeating: 0, count: 1024)
    inputRing = FrameRing(capacity: IsolationStage.inputCapacity, bytesPerFrame: 4)
    outputRing = FrameRing(capacity: IsolationStage.outputCapacity, bytesPerFrame: 4)
  }

  /// Whether the output lags the input by a block or more. At 48 kHz only. [any]
  var isBusy: Bool { output.writePosition + UInt64(IsolationTiming.block) <= input.writePosition }

  // MARK: The thread

  /// Starts the worker's own thread. Call this once. [control]
  func start() {
    isRunning = true
    startThread(name: "nearend.isolate") { [self] in
      raisePriority()
      work()
      ended.signal()
    }
  }

  /// Wakes the thread if it is parked while there is audio. [any]
  func wake() {
    if isParked.load(), input.count > 0 { signal.signal() }
  }

  /// Ends the thread, and waits until it has: a block's time. A thread whose isolator hangs is abandoned after a second, and keeps the
  /// worker alive. [control]
  func end() {
    guard isRunning else { return }
    isRunning = false
    isEnding.store(true)
    signal.signal()
    _ = ended.wait(timeout: .now() + 1)
  }

  private func work() {
    var idle = 0
    while !isEnding.load() {
      idle = drain() ? 0 : idle + 1
      if idle > 100 {
        isParked.store(true)
        signal.wait()
        isParked.store(false)
        idle = 0
      } else {
        _ = signal.wait(timeout: .now() + .milliseconds(2))
      }
    }
  }

  // MARK: The work

  /// Isolates the backlog. Returns whether there was any. [the worker, or between two cycles the thread that runs them]
  @discardableResult
  func drain() -> Bool {
    var hasWorked = false
    while !isEnding.load() {
      let isTooLate = input.count > longestBacklog
      let count = taken.withUnsafeMutableBufferPointer { input.read(into: $0.baseAddress!, frames: $0.count) }
      if count == 0 { break }
      hasWorked = true
      let samples = Array(taken[..<count])
      gathered += toIsolator?.convert(samples, ratio: ratio) ?? samples
      while gathered.count >= block.count, !isEnding.load() { isolateBlock(isTooLate: isTooLate) }
    }
    return hasWorked
  }

  private func isolateBlock(isTooLate: Bool) {
    if isTooLate {
      for i in block.indices { block[i] = 0 }
    } else {
      gathered.withUnsafeBufferPointer { source in
        block.withUnsafeMutableBufferPointer { isolator.isolate(source.baseAddress!, into: $0.baseAddress!) }
      }
      // True for NaN, too.
      for i in block.indices where !(abs(block[i]) <= 8) { block[i] = 0 }
    }
    gathered.removeFirst(block.count)
    let voice = fromIsolator?.convert(block, ratio: 1 / ratio) ?? block
    // It always fits: see `outputCapacity`.
    voice.withUnsafeBufferPointer { if let start = $0.baseAddress { _ = output.write(start, frames: $0.count) } }
  }
}

/// Requests the lowest realtime priority for this thread, which has a deadline and little work; without permission its priority stays.
/// [control]
private func raisePriority() {
  var parameters = sched_param()
  parameters.sched_priority = sched_get_priority_min(SCHED_RR)
  _ = pthread_setschedparam(pthread_self(), SCHED_RR, &parameters)
}
