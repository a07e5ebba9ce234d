/// A plug-in's instance with everything needed to run it at one rate; the audio thread gets its `unit`. [control]
// `@unchecked Sendable`: the unit belongs to the audio thread from its posting to its collection, the rest to the stage's lock.
final class PlugInMade: @unchecked Sendable {
  let unit: Owned<PlugInUnit>
  let instance: PlugInInstance
  let late: IsolationCells?
  private let worker: IsolationWorker?
  private let isSynchronous: Bool
  private let memory: CellBlock
  private let buffers: Samples
  private let stage: Owned<IsolationStage>?

  /// The longest delay in frames of a plug-in on the worker: its FIFOs and delay lines are sized for it.
  static let longestDelay = 8_192

  /// Instantiates the plug-in, and starts the worker's thread if it is not hard-realtime.
  /// - Parameter isSynchronous: gives the worker no thread; the one that runs the cycles drains it.
  /// - Throws: `PlugInError`.
  init(_ plugIn: PlugIn, rate: Int, channels: Int, settings: PlugInSettings, isSynchronous: Bool) throws(PlugInError) {
    let instance = try PlugInInstance(plugIn, rate: rate, channels: channels, settings: settings)
    let description = plugIn.description
    var memory = CellBlock()
    var worker: IsolationWorker?, late: IsolationCells?
    var stage: Owned<IsolationStage>?
    let runner = instance.runner
    buffers = Samples(4 * channels * CoreState.maximumQuantum)
    self.instance = instance
    self.isSynchronous = isSynchronous
    if !description.isHardRealtime {
      guard instance.latency <= Self.longestDelay else {
        throw .tooLate(label: description.label, latency: instance.latency, most: Self.longestDelay)
      }
      let own = IsolationCells(&memory)
      let timing = IsolationTiming(rate: rate, isolatorDelay: instance.latency, isolatorRate: rate, channels: channels)
      do throws(IsolationError) {
        let made = try IsolationWorker(WorkedPlugIn(instance), rate: rate, isolatorRate: rate, channels: channels)
        stage = Owned(IsolationStage(timing: timing, input: made.input, output: made.output, cells: own))
        if !isSynchronous { made.start() }
        (worker, late) = (made, own)
      } catch {
        throw .refused(label: description.label, rate: rate)
      }
    }
    self.memory = memory
    (self.worker, self.late) = (worker, late)
    let isDirect = worker == nil, side = channels * CoreState.maximumQuantum, lateStage = stage?.pointer
    self.stage = stage
    unit = Owned(
      PlugInUnit(
        runner: runner, rate: rate, channels: channels, cells: instance.cells, late: lateStage,
        dry: isDirect ? runner.input(0) : buffers.start, wet: isDirect ? runner.output(0) : buffers + side, given: buffers + 2 * side,
        taken: buffers + 3 * side))
    instance.cells.latency.store(UInt64(instance.latency))
  }

  /// A plug-in that hangs keeps its thread and its instance for good; nothing waits for it.
  deinit { worker?.end() }

  var isBroken: Bool { instance.cells.isBroken.load() }
  /// The latency in frames; 0 while it is bypassed as broken.
  var latency: Int { isBroken ? 0 : Int(instance.cells.latency.load()) }
  /// Whether the plug-in on the worker reports a delay other than the one it was made for.
  var isLateOtherwise: Bool { worker != nil && instance.runner.latency != instance.latency }

  /// Declares the delay before the first cycle of `quantum` frames.
  func expect(quantum: Int) {
    guard let late = unit.pointer.pointee.late else { return }
    let channels = unit.pointer.pointee.channels
    instance.cells.latency.store(UInt64(late.pointee.timing.delay(quantum: quantum * channels) / channels))
  }

  /// Bypasses the plug-in from the next cycle on, although the audio thread still holds it.
  func retire() { instance.cells.isRetired.store(true) }

  /// Wakes the worker if it is parked while there is audio.
  func wake() { worker?.wake() }

  /// Processes the last cycle's audio if the worker has no thread.
  func drain() { if isSynchronous { worker?.drain() } }
}

/// Adapts a plug-in to isolation's worker.
// `@unchecked Sendable`: owned by the one thread that drains.
private final class WorkedPlugIn: VoiceIsolator, @unchecked Sendable {
  let name: String
  let delay: Int
  private let instance: PlugInInstance

  init(_ instance: PlugInInstance) {
    name = instance.plugIn.description.name
    delay = instance.latency
    self.instance = instance
  }

  func isolate(_ block: UnsafePointer<Float>, into voice: UnsafeMutablePointer<Float>) {
    let (runner, frames) = (instance.runner, IsolationTiming.block)
    let channels = runner.channels
    for channel in 0..<channels {
      let input = runner.input(channel)
      for i in 0..<frames { input[i] = block[channels * i + channel] }
    }
    if instance.cells.isBroken.load() || !runner.process(frames: frames) { instance.cells.isBroken.store(true) }
    for channel in 0..<channels {
      let output = runner.output(channel)
      for i in 0..<frames { voice[channels * i + channel] = output[i] }
    }
  }
}
