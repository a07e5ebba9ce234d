internal import CAudioProcessing
internal import CRealtime

/// The capture path for one graph rate: microphone and reference in, voice out, re-blocked from any quantum to blocks of 10 ms and back.
///
///     microphone ─▶ seam ─▶ sanitize ─▶ input mute ─▶ blocks of 10 ms ─▶ chain ─▶ output ─▶ stages ─▶ mute ─▶ seam ─▶ voice
///     left, right ─▶ mean ─────────────────────────▶ blocks of 10 ms ──┘
///
/// Made and freed on the control side; only the audio thread calls `process`. It keeps `controls` and `meters` alive, and reaches them on the audio
/// thread through their cells only. What is not finite or beyond ±8 in an input is taken as silence, so that no port can poison the canceller.
public struct CapturePath: ~Copyable {
  /// The library and its generation: "webrtc-audio-processing 0.3" (V7). [any]
  public static var library: String { String(cString: nearend_audio_processing_name()) }

  private let controls: CaptureControls
  private let meters: CaptureMeters
  private let controlCells: CaptureControlCells
  private let meterCells: CaptureMeterCells

  /// Frames per second.
  let rate: Int
  private let block: Int
  private var chain: CaptureChain
  private let stages: StageRunner?
  private var gate: MuteGate
  private var inputGate: MuteGate
  /// Frames for which the input has been muted.
  private var inputSilence = 0
  private var seam: Seam
  /// Where the microphone comes and goes: its link is removed and made anew.
  private var inputSeam: Seam
  private var hasMicrophone: Bool?
  private let joined: UnsafeMutablePointer<Float>

  /// The microphone's own sound, muted or not.
  private let ownBlock: UnsafeMutablePointer<Float>
  private let microphoneBlock: UnsafeMutablePointer<Float>
  private let referenceBlock: UnsafeMutablePointer<Float>
  /// Frames that the two hold, 0..<block.
  private var gathered = 0
  /// Frames that are ready, oldest first, from `first` on; never more than two blocks.
  private let ready: UnsafeMutablePointer<Float>
  private var first = 0
  private var readyCount = 0

  private var quantum = 0
  private var isProcessing = false
  private var microphonePeak: Float = 0
  private var referencePeak: Float = 0
  private var voicePeak: Float = 0

  /// Allocates everything and warms the processors up. [control]
  ///
  /// - Parameters:
  ///   - rate: of the graph, 16000…192000 Hz. Blocks are `rate` / 100 frames, rounded down.
  ///   - maximumQuantum: frames, 1…65536: what `frames` of `process` may be at most.
  ///   - stages: a program's own, which must outlive the path.
  /// - Throws: `CapturePathError`.
  public init(
    rate: Int, maximumQuantum: Int, controls: CaptureControls, meters: CaptureMeters, stages: StageChain? = nil
  ) throws(CapturePathError) {
    guard (16000...192_000).contains(rate) else { throw .unsupportedRate(rate) }
    guard (1...65536).contains(maximumQuantum) else { throw .unsupportedQuantum(maximumQuantum) }
    let chain = try CaptureChain(block: rate / 100, controls: controls.cells, meters: meters.cells)
    self.chain = chain
    self.stages = stages?.runner
    self.controls = controls
    self.meters = meters
    controlCells = controls.cells
    meterCells = meters.cells
    self.rate = rate
    let block = rate / 100
    self.block = block
    let isOpen = !controls.isMicrophoneMuted && !controls.isVoiceHeld
    gate = MuteGate(length: block / 2, isOpen: isOpen)
    inputGate = MuteGate(length: block / 2, isOpen: !controls.isMicrophoneMuted || !controls.mutesInput)
    seam = Seam(length: block / 2)
    inputSeam = Seam(length: block / 2)
    joined = .silence(maximumQuantum)
    ownBlock = .silence(block)
    microphoneBlock = .silence(block)
    referenceBlock = .silence(block)
    ready = .silence(2 * block)
  }

  deinit {
    joined.deallocate()
    ownBlock.deallocate()
    microphoneBlock.deallocate()
    referenceBlock.deallocate()
    ready.deallocate()
  }

  /// Frames that the path adds to the microphone, for a constant quantum and the settings of now (V8): 0 with voice processing off, else the stages'
  /// delay and `rate` / 100 − gcd(`quantum`, `rate` / 100) for the blocks. [control]
  public func latency(quantum: Int) -> Int {
    controls.usesVoiceProcessing ? chain.delay + blockingLatency(quantum: quantum) : 0
  }

  /// The same for the cycles that run.
  private var currentLatency: Int {
    @_noLocks @_noAllocation get { isProcessing ? chain.delay + blockingLatency(quantum: quantum) : 0 }
  }

  /// One cycle. [realtime]
  ///
  /// - Parameters:
  ///   - microphone: mono; nil is silence.
  ///   - left, right: what the real speaker plays; the canceller hears their mean, one alone where the other is nil, silence where both are.
  ///   - voice: where the result goes; may be `microphone`.
  ///   - frames: the quantum. When it changes, the latency changes with it, over a short fade.
  @_noLocks @_noAllocation
  public mutating func process(
    microphone: UnsafePointer<Float>?, reference left: UnsafePointer<Float>?, right: UnsafePointer<Float>?,
    voice: UnsafeMutablePointer<Float>, frames: Int
  ) {
    if frames <= 0 { return }
    let usesVoiceProcessing = controlCells.usesVoiceProcessing.isOn()
    if frames != quantum || usesVoiceProcessing != isProcessing { restart(quantum: frames, isProcessing: usesVoiceProcessing) }

    let isMuted = controlCells.isMicrophoneMuted.isOn(), mutesInput = controlCells.mutesInput.isOn()
    let input = join(microphone, frames: frames)
    var microphoneLevel: Float = 0, referenceLevel: Float = 0
    var done = 0
    while done < frames {
      let count = min(frames - done, block - gathered)
      gather(input, into: microphoneBlock + gathered, from: done, count: count)
      gatherReference(left, right, from: done, count: count)
      microphoneLevel = max(microphoneLevel, peak(microphoneBlock + gathered, frames: count))
      referenceLevel = max(referenceLevel, peak(referenceBlock + gathered, frames: count))
      copy(microphoneBlock + gathered, to: ownBlock + gathered, frames: count)
      inputGate.apply(to: microphoneBlock + gathered, frames: count, quantum: frames, isOpen: !(isMuted && mutesInput))
      if isProcessing {
        gathered += count
        if gathered == block { finishBlock() }
        take(into: voice + done, count: count)
      } else {
        copy(microphoneBlock, to: voice + done, frames: count)
      }
      done += count
    }

    stages?.process(voice, nil, frames: frames, rate: rate)
    inputSilence = inputGate.isShut ? min(inputSilence + frames, 1 << 20) : 0
    // Muted before processing, the voice is silent when the last sound has come through, and stays so whatever the processors make of silence.
    let isSilent = isMuted && (!mutesInput || inputSilence > currentLatency + frames)
    gate.apply(to: voice, frames: frames, quantum: frames, isOpen: !isSilent && !controlCells.isVoiceHeld.isOn())
    seam.process(voice, frames: frames)
    publishLevels(microphone: microphoneLevel, reference: referenceLevel, voice: peak(voice, frames: frames), frames: frames)
  }

  /// The microphone, with no step where it comes or goes; nil where it is not there.
  @_noLocks @_noAllocation
  private mutating func join(_ microphone: UnsafePointer<Float>?, frames: Int) -> UnsafePointer<Float>? {
    let isThere = microphone != nil
    if let hasMicrophone, hasMicrophone != isThere { inputSeam.begin(silence: 0) }
    hasMicrophone = isThere
    guard inputSeam.isJoining || isThere else { return nil }
    Kernel.copy(microphone, offset: 0, to: joined, frames: frames)
    inputSeam.process(joined, frames: frames)
    return UnsafePointer(joined)
  }

  @_noLocks @_noAllocation
  private func blockingLatency(quantum: Int) -> Int {
    var a = block, b = max(quantum, 1)
    while b != 0 { (a, b) = (b, a % b) }
    return block - a
  }

  /// Begins a stream of the latency that belongs to this quantum. With a constant quantum the frames gathered and the frames ready always add up to
  /// that latency, so nothing drifts.
  @_noLocks @_noAllocation
  private mutating func restart(quantum: Int, isProcessing: Bool) {
    let latency = isProcessing ? blockingLatency(quantum: quantum) : 0
    // What the stages hold is old by now, and does not continue into what comes: it is not heard.
    if self.quantum != 0 { seam.begin(silence: isProcessing ? latency + chain.delay : 0) }
    if !isProcessing && self.isProcessing { publishNothing() }
    self.quantum = quantum
    self.isProcessing = isProcessing
    gathered = 0
    first = 0
    readyCount = latency
    clear(ready, frames: latency)
  }

  @_noLocks @_noAllocation
  private func gather(_ source: UnsafePointer<Float>?, into destination: UnsafeMutablePointer<Float>, from start: Int, count: Int) {
    guard let source else { return clear(destination, frames: count) }
    for i in 0..<count { destination[i] = sanitized(source[start + i]) }
  }

  @_noLocks @_noAllocation
  private func gatherReference(_ left: UnsafePointer<Float>?, _ right: UnsafePointer<Float>?, from start: Int, count: Int) {
    let destination = referenceBlock + gathered
    guard let left, let right else { return gather(left ?? right, into: destination, from: start, count: count) }
    for i in 0..<count { destination[i] = 0.5 * (sanitized(left[start + i]) + sanitized(right[start + i])) }
  }

  /// False for NaN too.
  @_noLocks @_noAllocation
  private func sanitized(_ x: Float) -> Float { abs(x) <= 8 ? x : 0 }

  @_noLocks @_noAllocation
  private mutating func finishBlock() {
    chain.process(microphoneBlock, reference: referenceBlock, unheard: inputGate.isShut ? ownBlock : nil)
    gathered = 0
    if first > 0 {
      for i in 0..<readyCount { ready[i] = ready[first + i] }
      first = 0
    }
    copy(microphoneBlock, to: ready + readyCount, frames: block)
    readyCount += block
  }

  @_noLocks @_noAllocation
  private mutating func take(into destination: UnsafeMutablePointer<Float>, count: Int) {
    copy(ready + first, to: destination, frames: count)
    first += count
    readyCount -= count
  }

  @_noLocks @_noAllocation
  private mutating func publishLevels(microphone: Float, reference: Float, voice: Float, frames: Int) {
    let fall = MeterBallistics.fall(frames: frames, rate: Double(rate))
    microphonePeak = max(microphone, microphonePeak * fall)
    referencePeak = max(reference, referencePeak * fall)
    voicePeak = max(voice, voicePeak * fall)
    meterCells.microphonePeak.set(microphonePeak)
    meterCells.referencePeak.set(referencePeak)
    meterCells.voicePeak.set(voicePeak)
  }

  @_noLocks @_noAllocation
  private func publishNothing() {
    meterCells.erle.set(.nan)
    meterCells.echoDelay.set(.nan)
    meterCells.gain.set(Float(0))
    meterCells.hasVoice.set(false)
    meterCells.isTalkingWhileMuted.set(false)
    meterCells.isFarEndActive.set(false)
    meterCells.echoSeconds.set(Float(0))
    meterCells.quietSeconds.set(Float(0))
  }
}
