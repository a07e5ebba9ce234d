internal import CRealtime

/// One stage on the audio thread. Made and freed by a `StageChain`.
///
/// It fades in when added and out when removed, against its own input, so that neither clicks.
struct StagePlayer: ~Copyable {
  /// 10 ms at 48 kHz.
  static let fadeFrames = 480

  private let callback: StageCallback
  private let onIdle: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  private let context: UnsafeMutableRawPointer?
  private var leftFade = Crossfade(frames: fadeFrames, weight: 0)
  private var rightFade = Crossfade(frames: fadeFrames, weight: 0)
  /// Set by the control side: the stage is to be removed.
  let isLeaving: CounterCell
  /// Set by the audio thread: the stage has been faded out.
  let isGone: CounterCell
  /// The chain's counter.
  private let silenced: CounterCell
  private let memory: CellBlock

  init(_ stage: AudioStage, silenced: CounterCell) {
    self.silenced = silenced
    callback = stage.callback
    onIdle = stage.onIdle
    context = stage.context
    var memory = CellBlock()
    isLeaving = CounterCell(memory.next())
    isGone = CounterCell(memory.next())
    self.memory = memory
  }

  /// Processes one cycle. `dryLeft` and `dryRight` have room for `frames`. [realtime]
  @_noLocks @_noAllocation
  mutating func process(
    _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, frames: Int, rate: Int,
    dryLeft: UnsafeMutablePointer<Float>, dryRight: UnsafeMutablePointer<Float>
  ) {
    if isGone.load() != 0 { return }
    let isOn = isLeaving.load() == 0
    if isOn, leftFade.weight == 1 { return call(left, right, frames: frames, rate: rate) }
    copy(UnsafePointer(left), offset: 0, to: dryLeft, frames: frames)
    if let right { copy(UnsafePointer(right), offset: 0, to: dryRight, frames: frames) }
    call(left, right, frames: frames, rate: rate)
    leftFade.blend(wet: UnsafePointer(left), dry: UnsafePointer(dryLeft), into: left, frames: frames, isOn: isOn)
    if let right { rightFade.blend(wet: UnsafePointer(right), dry: UnsafePointer(dryRight), into: right, frames: frames, isOn: isOn) }
    if !isOn, leftFade.weight == 0 { isGone.storeRelease(1) }
  }

  /// Reports to the stage that nothing listens any more. [realtime]
  @_noLocks @_noAllocation
  func markIdle() { rt_call_idle(onIdle, context) }

  /// Silences NaN and infinite samples: they would break any later filter for good.
  @_noLocks @_noAllocation
  private func call(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, frames: Int, rate: Int) {
    rt_call_stage(callback, context, left, right, frames, rate)
    var count = silenceNonNumbers(left, frames: frames)
    if let right { count += silenceNonNumbers(right, frames: frames) }
    if count > 0 { silenced.add(UInt64(count)) }
  }
}
