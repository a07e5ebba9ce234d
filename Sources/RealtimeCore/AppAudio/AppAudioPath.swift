/// Application audio on the audio thread: rendered before the speaker's mix, which may monitor it, and added to the voice after processing
/// (D4). Without any, a cycle only checks the sources and touches no sample. [realtime] except `init` and `deinit`.
struct AppAudioPath: ~Copyable {
  private let sources: UnsafeMutablePointer<RenderPath>
  private let cells: AppAudioCells
  private var micVolume = SmoothGain()
  private var monitorGain = SmoothGain()
  private var duck = SpeechDuck()
  private var limiter: BusLimiter
  private let reduction: CellBlock
  private var isSounding = false
  private let left, right, callLeft, callRight, nothing: Samples

  /// - Parameter sources: the render path of the application audio's own mixer. [control]
  init(sources: UnsafeMutablePointer<RenderPath>, cells: AppAudioCells, maximumQuantum: Int) {
    self.sources = sources
    self.cells = cells
    var memory = CellBlock()
    limiter = BusLimiter(frames: maximumQuantum, reduction: DoubleCell(memory.next()))
    reduction = memory
    monitorGain.jump(to: 0)
    left = Samples(maximumQuantum)
    right = Samples(maximumQuantum)
    nothing = Samples(maximumQuantum)
    callLeft = Samples(maximumQuantum)
    callRight = Samples(maximumQuantum)
  }

  /// Renders one cycle of the sources. `isSpeaking`: the near end talks and is heard.
  @_noLocks @_noAllocation
  mutating func render(frames: Int, rate: Int, isSpeaking: Bool) {
    let isRendered = sources.pointee.renderAudible(into: left.start, right.start, frames: frames, rate: rate)
    // Sources that play silence do not count.
    isSounding = isRendered && max(checkedPeak(left.start, frames: frames), checkedPeak(right.start, frames: frames)) > 0
    cells.isSounding.store(isSounding)
    monitorGain.steer(to: cells.isMonitored.load() ? 1 : 0, rate: Double(rate))
    guard isSounding else {
      cells.duckGain.store(1)
      return
    }
    duck.apply(to: left.start, right.start, frames: frames, rate: rate, isDucked: isSpeaking && cells.isDucked.load())
    cells.duckGain.store(duck.gain)
  }

  /// Skips a cycle: the sources keep their audio.
  @_noLocks @_noAllocation
  mutating func markIdle() {
    isSounding = false
    cells.isSounding.store(false)
  }

  /// Returns the call, with application audio added if it is monitored.
  @_noLocks @_noAllocation
  mutating func monitored(_ call: StereoInput, frames: Int) -> StereoInput {
    guard isSounding, !monitorGain.isSilent else { return call }
    copy(left.start, offset: 0, to: callLeft.start, frames: frames)
    copy(right.start, offset: 0, to: callRight.start, frames: frames)
    monitorGain.apply(callLeft.start, callRight.start, frames: frames)
    if let left = call.left { add(left, to: callLeft.start, frames: frames) }
    if let right = call.right { add(right, to: callRight.start, frames: frames) }
    return StereoInput(left: UnsafePointer(callLeft.start), right: UnsafePointer(callRight.start))
  }

  /// Applies the microphone's volume and adds application audio, limiting the sum to full scale. `voiceRight`: the voice's right side, if
  /// it differs; both get the mean of the application audio's sides.
  @_noLocks @_noAllocation
  mutating func mix(into voice: UnsafeMutablePointer<Float>, right voiceRight: UnsafeMutablePointer<Float>?, frames: Int, rate: Int) {
    micVolume.steer(to: cells.isEnabled.load() ? cells.micVolume.load() : 1, rate: Double(rate))
    if !micVolume.isUnity { micVolume.apply(voice, voiceRight, frames: frames) }
    guard isSounding || !limiter.isAtRest else { return }
    if isSounding { for i in 0..<frames { voice[i] += 0.5 * (left[i] + right[i]) } }
    if isSounding, let voiceRight { for i in 0..<frames { voiceRight[i] += 0.5 * (left[i] + right[i]) } }
    if voiceRight == nil { clear(nothing.start, frames: frames) }
    limiter.process(voice, voiceRight ?? nothing.start, frames: frames, rate: Double(rate))
  }
}
