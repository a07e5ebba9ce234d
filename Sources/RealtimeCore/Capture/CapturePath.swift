internal import CRealtime

/// The capture path for one graph rate and one engine: takes microphone and reference, outputs the voice, at any quantum.
///
///     microphone ─▶ seam ─▶ sanitize ─▶ input mute ─┐
///     left, right ─▶ sanitize ──────────────────────┴▶ blocks ─▶ chain ─▶ isolation ─▶ stages ─▶ mute ─▶ seam ─▶ voice
///
/// Where two channels are asked for it is the left side, and has a `RightSide` (V16).
///
/// Made and freed on the control side; only the audio thread calls `process`. It keeps `controls` and `meters` alive, and accesses them on
/// the audio thread through their cells only. Input samples that are NaN, infinite or beyond ±8 become silence, so that no port can poison
/// the canceller.
package struct CapturePath: ~Copyable {
  /// The library of the WebRTC engine with its generation: "webrtc-audio-processing 0.3" (V7); empty if none is installed. Loads it. [any]
  package static var library: String { WebRTCLibrary.installed?.name ?? "" }

  private let controls: CaptureControls
  private let meters: SequenceLocked<CaptureMeters>
  private let controlCells: CaptureControlCells
  /// What is told of the cycle; peaks fall from those of the last.
  private let told: UnsafeMutablePointer<CaptureMeters>
  private let publishing: SequenceCell

  /// Frames per second.
  let rate: Int
  /// Microphones that are heard as one.
  package let microphones: Int
  /// Whether the engine hears them; if not, it is to get their mean.
  let hearsArray: Bool
  private var input: CaptureInput
  private var blocks: BlockAdapter
  private let stages: StageRunner?
  private let isolation: UnsafeMutablePointer<IsolationSlot>?
  private var gate: MuteGate
  private var seam: Seam
  private var pauses = PauseWatch()
  /// Of a voice of two channels; nil if nobody has asked for that.
  private let rightSide: UnsafeMutablePointer<RightSide>?
  /// A Boolean value indicating whether the right voice differed from the left one in the last cycle.
  private(set) var isApart = false
  private var pathNews: EchoPathNews

  private var quantum = 0
  private var isProcessing = false

  /// The previous engine's path, heard until this one has taken over; owned by whoever passed it.
  private var old: UnsafeMutablePointer<CapturePath>?
  /// A Boolean value indicating whether the voice has had no consumer since the last cycle.
  private var isIdle = false
  private var handOver: EngineHandOver
  private let oldVoice, oldOpen: Samples

  /// Allocates everything and warms the processors up. [control]
  ///
  /// - Parameters:
  ///   - engine: the engine, regardless of `controls.engine`.
  ///   - rate: the graph's rate, 16000…192000 Hz.
  ///   - maximumQuantum: the largest `frames` for `process`, 1…65536.
  ///   - isStereo: whether the voice can have two channels.
  ///   - tuning: of nearend's own engine.
  ///   - stages: the program's own; must outlive the path.
  ///   - isolation: for the mode of that name; must outlive the path.
  ///   - microphones: 1…8 that are heard as one, the main one included; WebRTC's engine hears that alone.
  /// - Throws: `CapturePathError`.
  package init(
    engine: EchoCanceller = .nearend, rate: Int, maximumQuantum: Int, isStereo: Bool = false, tuning: Tuning = .standard,
    controls: CaptureControls, meters: SequenceLocked<CaptureMeters>, stages: StageChain? = nil, isolation: VoiceIsolation? = nil,
    microphones: Int = 1
  ) throws(CapturePathError) {
    guard (16000...192_000).contains(rate) else { throw .unsupportedRate(rate) }
    guard (1...65536).contains(maximumQuantum) else { throw .unsupportedQuantum(maximumQuantum) }
    precondition((1...8).contains(microphones), "CapturePath: \(microphones) microphones")
    let chain = try VoiceChain(engine, rate: rate, tuning: tuning, controls: controls.cells, microphones: microphones)
    let makeRight = { () throws(CapturePathError) in
      Owned(try RightSide(engine, rate: rate, maximumQuantum: maximumQuantum, tuning: tuning, controls: controls.cells)).release()
    }
    // The last thing that can fail: from here on `deinit` frees it.
    rightSide = try isStereo ? makeRight() : nil
    blocks = BlockAdapter(chain, rate: rate)
    self.stages = stages?.runner
    self.isolation = isolation?.slot.pointer
    self.controls = controls
    self.meters = meters
    controlCells = controls.cells
    told = meters.draft
    publishing = meters.cell
    self.rate = rate
    self.microphones = microphones
    hearsArray = blocks.chain.microphones > 1
    input = CaptureInput(maximumQuantum: maximumQuantum, rate: rate, further: microphones - 1)
    gate = MuteGate(length: rate / 200, isOpen: true)
    seam = Seam(length: rate / 200)
    pathNews = EchoPathNews(controls.cells)
    handOver = EngineHandOver(rate: rate)
    oldVoice = Samples(maximumQuantum)
    oldOpen = Samples(maximumQuantum)
  }

  deinit { if let rightSide { _ = Owned(adopting: rightSide) } }

  /// Frames that the path adds to the microphone, for a constant quantum and the current settings (V8): 0 with voice processing off,
  /// otherwise the chain's delay plus block − gcd(`quantum`, block); excludes voice isolation. [control]
  package func latency(quantum: Int) -> Int {
    controls.usesVoiceProcessing ? blocks.latency(quantum: quantum) : 0
  }

  /// The latency in the current cycles.
  // `mutating`: Swift 6.0 crashes where an optional property of a large structure is read without.
  private var currentLatency: Int {
    @_noLocks @_noAllocation mutating get {
      if !isProcessing { return 0 }
      let latency = blocks.latency(quantum: quantum)
      return max(latency, old?.pointee.blocks.latency(quantum: quantum) ?? 0) + (isolation?.pointee.delay ?? 0)
    }
  }

  /// Processes one cycle. [realtime]
  ///
  /// - Parameters:
  ///   - microphone: mono; nil is silence.
  ///   - left, right: what the real speaker plays; a single one counts as both, and none is silence.
  ///   - voice: the output; may be `microphone`.
  ///   - frames: the quantum. When it changes, the latency changes with it, over a short fade.
  ///   - others: `otherCount` further microphones of the array, in an order that stays; one that is nil is silent, and so are those that
  ///     are
  ///     missing of `microphones` − 1.
  @_noLocks @_noAllocation
  package mutating func process(
    microphone: UnsafePointer<Float>?, reference left: UnsafePointer<Float>?, right: UnsafePointer<Float>?,
    voice: UnsafeMutablePointer<Float>, frames: Int, others: UnsafePointer<UnsafePointer<Float>?>? = nil, otherCount: Int = 0
  ) {
    let sides = Sides(left: microphone, right: nil, isStereo: false)
    process(
      microphone: sides, reference: left, right: right, voice: voice, right: nil, frames: frames, others: others, otherCount: otherCount,
      tape: nil)
  }

  /// The microphone's channels.
  struct Sides {
    /// The left one, or the only one.
    let left: UnsafePointer<Float>?
    let right: UnsafePointer<Float>?
    /// Whether they are to be heard apart, and not `left` on both sides.
    let isStereo: Bool

    @_noLocks @_noAllocation
    init(left: UnsafePointer<Float>?, right: UnsafePointer<Float>?, isStereo: Bool) {
      (self.left, self.right, self.isStereo) = (left, right, isStereo)
    }
  }

  /// The same for both sides, and records the left one's microphone and voice as they are without a mute. `voiceRight` is required if the
  /// path `hasRightSide`, and has the left voice unless the path `isApart`. [realtime]
  @_noLocks @_noAllocation
  mutating func process(
    microphone: Sides, reference left: UnsafePointer<Float>?, right: UnsafePointer<Float>?, voice: UnsafeMutablePointer<Float>,
    right voiceRight: UnsafeMutablePointer<Float>?, frames: Int, others: UnsafePointer<UnsafePointer<Float>?>? = nil,
    otherCount: Int = 0, tape: UnsafeMutablePointer<AuditionTape>?
  ) {
    if frames <= 0 { return }
    let usesVoiceProcessing = controlCells.usesVoiceProcessing.load()
    let isMuted = controlCells.isMicrophoneMuted.load(), mutesInput = controlCells.mutesInput.load()
    let isAuditioned = controlCells.isAuditioned.load()
    if quantum == 0 {
      // The path may have been made before the mute.
      input.begin(isOpen: !isMuted || !mutesInput || isAuditioned)
      gate.begin(isOpen: !isMuted && !isAuditioned && !controlCells.isVoiceOnlyPrepared.load())
    }
    if isIdle || frames != quantum || usesVoiceProcessing != isProcessing { restart(quantum: frames, isProcessing: usesVoiceProcessing) }

    let isInputMuted = isMuted && mutesInput && !isAuditioned, former = old?.pointee.rightSide
    input.read(
      microphone: microphone.left, left: left, right: right, frames: frames, isMuted: isInputMuted, others: others,
      otherCount: otherCount)
    if isProcessing {
      runChain(into: voice, frames: frames)
    } else {
      isolation?.pointee.markIdle()
      copy(input.microphone, to: voice, frames: frames)
    }
    isApart = false
    if let rightSide, let voiceRight {
      isApart = rightSide.pointee.process(
        microphone: microphone.right, beside: input, voice: voice, into: voiceRight,
        .init(frames: frames, isStereo: microphone.isStereo, isProcessing: isProcessing, isMuted: isInputMuted), old: former)
    }
    stages?.process(voice, isApart ? voiceRight : nil, frames: frames, rate: rate)
    tape?.pointee.record(microphone: input.own.start, voice: voice, frames: frames, rate: rate, latency: currentLatency)
    // Muted before processing, the voice falls silent once the last sound has passed the chain, whatever the processors output for silence;
    // what an audition has left in the chain is not heard at all.
    let isSilent = isAuditioned || isMuted && (!mutesInput || gate.isShut || input.silence > currentLatency + frames)
    let isOpen = !isSilent && !controlCells.isVoiceOnlyPrepared.load()
    if let rightSide, let voiceRight {
      if !isApart { copy(voice, to: voiceRight, frames: frames) }
      rightSide.pointee.end(voiceRight, gate, isOpen: isOpen, frames: frames)
    }
    gate.apply(to: voice, frames: frames, quantum: frames, isOpen: isOpen)
    seam.process(voice, frames: frames)
    var voicePeak = peak(voice, frames: frames)
    if isApart, let voiceRight { voicePeak = max(voicePeak, peak(voiceRight, frames: frames)) }
    tell(voice: voicePeak, frames: frames)
  }

  /// A Boolean value indicating whether the voice can have two channels. [realtime]
  var hasRightSide: Bool { @_noLocks @_noAllocation get { rightSide != nil } }

  // `mutating`: Swift 6.0 crashes where an optional property of a large structure is read without.

  /// Room for the microphone's right channel, if that is needed in the next cycle. [realtime]
  @_noLocks @_noAllocation
  mutating func rightMicrophone(isStereo: Bool) -> UnsafeMutablePointer<Float>? {
    guard let rightSide, isStereo || rightSide.pointee.isHeard else { return nil }
    return rightSide.pointee.microphone.start
  }

  /// Room for the right voice. [realtime]
  var rightVoice: UnsafeMutablePointer<Float>? {
    @_noLocks @_noAllocation mutating get {
      if let rightSide { return rightSide.pointee.voice.start }
      return nil
    }
  }

  /// Accounts for `frames` without a cycle: their far end is unknown, and earlier echo continues. Whole cycles of at most 250 ms in all are
  /// bridged; otherwise the stream restarts. [realtime]
  @_noLocks @_noAllocation
  mutating func lose(frames: Int) {
    guard quantum > 0, isProcessing, !isIdle else { return }
    guard 4 * frames <= rate, blocks.canLose(frames: frames, quantum: quantum),
      old?.pointee.blocks.canLose(frames: frames, quantum: quantum) != false
    else { return markIdle() }
    blocks.lose(frames: frames)
    old?.pointee.blocks.lose(frames: frames)
    rightSide?.pointee.lose(frames: frames, old: old?.pointee.rightSide)
  }

  @_noLocks @_noAllocation
  private mutating func runChain(into voice: UnsafeMutablePointer<Float>, frames: Int) {
    let news = pathNews.next(controlCells)
    blocks.tell(news)
    old?.pointee.blocks.tell(news)
    let open = isolation?.pointee.begin(frames: frames, rate: rate)
    blocks.process(input, into: voice, open: open, frames: frames)
    if let old {
      old.pointee.blocks.process(input, into: oldVoice.start, open: open == nil ? nil : oldOpen.start, frames: frames)
      if let open { handOver.mix(old: oldOpen.start, into: open, frames: frames) }
      handOver.blend(old: oldVoice.start, into: voice, frames: frames)
      if handOver.isOver { self.old = nil }
    }
    if open != nil { isolation?.pointee.end(voice, frames: frames) }
  }

  /// Starts a stream, with a new latency or after a pause.
  @_noLocks @_noAllocation
  private mutating func restart(quantum: Int, isProcessing: Bool) {
    rightSide?.pointee.restart(silence: nil)
    if self.quantum != 0 {
      // The audio in the chain is stale and does not continue into the new stream, so it is not heard.
      let silence = isProcessing ? blocks.latency(quantum: quantum) + (isolation?.pointee.delay ?? 0) : 0
      seam.begin(silence: silence)
      rightSide?.pointee.restart(silence: silence)
      // Whether nobody used the voice, or it was not processed: the chain did not hear what was played.
      if isIdle || isProcessing && !self.isProcessing { blocks.chain.resume() }
      // Devices and their monitors are late by so many cycles, so the echo's delay changes with the quantum.
      if quantum != self.quantum { blocks.chain.echoPathChanged() }
    }
    isolation?.pointee.restart()
    self.quantum = quantum
    self.isProcessing = isProcessing
    old = nil
    isIdle = false
    blocks.restart(quantum: quantum)
  }

  // MARK: Taking over from another engine

  /// Continues another engine's path in mid-stream: `old` is heard until this path has valid output, then fades (V10). `old` must stay
  /// until `isTakingOver` is false, or `markIdle` was called. Ignored if `old` has a different rate; of one that nobody heard in the last
  /// cycle, only what is known of the talker is adopted. [realtime]
  @_noLocks @_noAllocation
  mutating func takeOver(from old: UnsafeMutablePointer<CapturePath>) {
    guard old.pointee.rate == rate, old.pointee.quantum != 0 else { return }
    if old.pointee.isIdle {
      rightSide?.pointee.adopt(from: old.pointee.rightSide)
      return blocks.chain.adopt(old.pointee.blocks.chain)
    }
    input.exchange(with: &old.pointee.input)
    seam.exchange(with: &old.pointee.seam)
    gate = old.pointee.gate
    pauses = old.pointee.pauses
    quantum = old.pointee.quantum
    isProcessing = old.pointee.isProcessing
    blocks.restart(quantum: quantum)
    blocks.chain.adopt(old.pointee.blocks.chain)
    rightSide?.pointee.takeOver(from: old.pointee.rightSide, isProcessing: isProcessing, quantum: quantum)
    if !isProcessing { return }
    self.old = old
    handOver.begin(latency: blocks.latency(quantum: quantum))
  }

  /// A Boolean value indicating whether the previous path is still needed. [realtime]
  var isTakingOver: Bool { @_noLocks @_noAllocation get { old != nil } }

  /// Ends the stream, because the voice has no consumer: releases the previous path, and what voice isolation does not need, at once.
  /// [realtime]
  @_noLocks @_noAllocation
  mutating func markIdle() {
    old = nil
    isolation?.pointee.markIdle()
    if isIdle { return }
    isIdle = true
    stages?.markIdle()
    seam.markIdle()
    rightSide?.pointee.markIdle()
  }

  /// Publishes what was measured in the cycle.
  // `mutating`: Swift 6.0 crashes where a property of a large structure is read without.
  @_noLocks @_noAllocation
  private mutating func tell(voice: Float, frames: Int) {
    let fall = MeterBallistics.fall(frames: frames, rate: Double(rate)), former = told.pointee
    var meters = CaptureMeters()
    if isProcessing { meters = blocks.chain.readings }
    let microphone = max(peak(input.own.start, frames: frames), rightSide?.pointee.microphonePeak(frames: frames) ?? 0)
    meters.microphonePeak = max(microphone, former.microphonePeak * fall)
    pauses.note(peak: microphone, isLinked: input.hasMicrophone, frames: frames, rate: rate)
    meters.microphonePauses = pauses.count
    let reference = max(peak(input.left.start, frames: frames), peak(input.right.start, frames: frames))
    meters.referencePeak = max(reference, former.referencePeak * fall)
    meters.voicePeak = max(voice, former.voicePeak * fall)
    told.pointee = meters
    publishing.publish()
  }
}
