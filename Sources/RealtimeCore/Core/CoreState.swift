/// Everything that a cycle of the graph does, in signal order: mixes the sinks to the speaker, and removes from the microphone what the
/// speaker plays.
struct CoreState: ~Copyable {
  var clock: CycleClock
  private let render: UnsafeMutablePointer<RenderPath>
  let captureMailbox: Mailbox
  let cells: CoreCells
  private let source: SourceDelivery
  private let relay: SourceDelivery
  private var spectra: SpectrumDelivery
  private let audition: AuditionCells
  private var appAudio: AppAudioPath
  private var inputs: InputMix
  /// What the capture path measured in its last cycle.
  private let meters: UnsafePointer<CaptureMeters>
  private let controls: CaptureControlCells
  private var capture: UnsafeMutablePointer<CapturePath>?
  /// The path that `capture` takes over from, until it is returned.
  private var retiring: UnsafeMutablePointer<CapturePath>?
  private let scratch: Samples
  /// Frames with a voice so far, counted by `isAudio`.
  private var voicedFrames = 0
  /// Frames of the mix that were played without a reference since sending began, the graph stood still, or the reference was there.
  private var awaitedReference = 0
  /// Whether the reference has passed something since then, and is linked.
  private var hasReference = false

  static let maximumQuantum = 8192
  private static let scratchBuffers = 3
  /// Limits of a plausible driver rate in Hz.
  private static let lowestRate = 1_000
  private static let highestRate = 1_000_000

  init(
    clock: CycleClock, render: UnsafeMutablePointer<RenderPath>, appAudio: consuming AppAudioPath, captureMailbox: Mailbox,
    controls: CaptureControlCells, meters: UnsafePointer<CaptureMeters>, cells: CoreCells, source: SourceDelivery, relay: SourceDelivery,
    spectra: consuming SpectrumDelivery, audition: AuditionCells, inputs: consuming InputMix
  ) {
    self.clock = clock
    self.appAudio = appAudio
    self.controls = controls
    self.meters = meters
    self.source = source
    self.relay = relay
    self.spectra = spectra
    self.inputs = inputs
    self.audition = audition
    self.render = render
    self.captureMailbox = captureMailbox
    self.cells = cells
    scratch = Samples(Self.scratchBuffers * Self.maximumQuantum)
  }

  /// Returns the capture paths in use, for the control side to free once no cycle runs any more. [control]
  mutating func releaseCapture() -> [UnsafeMutablePointer<CapturePath>] {
    defer { (capture, retiring) = (nil, nil) }
    return [capture, retiring].compactMap { $0 }
  }

  /// Processes one cycle. [realtime]
  @_noLocks @_noAllocation
  mutating func process(_ io: UnsafePointer<CycleBuffers>, graphSinks: UnsafePointer<StereoInput>?) {
    guard io.pointee.frames > 0, io.pointee.rate > 0 else { return }
    guard io.pointee.frames <= Self.maximumQuantum, io.pointee.rate >= Self.lowestRate, io.pointee.rate <= Self.highestRate else {
      return silence(io)
    }
    let lost = clock.begin(io)
    let left = io.pointee.speaker.left ?? buffer(0)
    let right = io.pointee.speaker.right ?? buffer(1)
    let tape = audition.enter()
    if !cells.isInterrupted.load() {
      renderAppAudio(io)
      var call = appAudio.monitored(io.pointee.call, frames: io.pointee.frames)
      if let tape { call = tape.pointee.play(into: call, frames: io.pointee.frames, rate: io.pointee.rate) }
      render.pointee.process(
        call: call, graphSinks: graphSinks, speakerLeft: left, speakerRight: right, frames: io.pointee.frames, rate: io.pointee.rate)
    } else {
      appAudio.markIdle()
      clear(left, frames: io.pointee.frames)
      clear(right, frames: io.pointee.frames)
    }
    captureVoice(io, mix: (UnsafePointer(left), UnsafePointer(right)), lost: lost, tape: tape)
    audition.cycle.leave()
    scaleSpeaker(io)
  }

  /// Silences the outputs of a cycle that is too long or has an impossible rate: they still hold another cycle's audio.
  @_noLocks @_noAllocation
  private func silence(_ io: UnsafePointer<CycleBuffers>) {
    let frames = min(io.pointee.frames, Self.maximumQuantum)
    silenceVoice(io, frames: frames)
    if let left = io.pointee.speaker.left { clear(left, frames: frames) }
    if let right = io.pointee.speaker.right { clear(right, frames: frames) }
  }

  @_noLocks @_noAllocation
  private func silenceVoice(_ io: UnsafePointer<CycleBuffers>, frames: Int) {
    if let voice = io.pointee.voice { clear(voice, frames: frames) }
    if let right = io.pointee.voiceRight { clear(right, frames: frames) }
  }

  /// Renders application audio only while the voice has a consumer that is to hear something; otherwise it waits in its sources.
  @_noLocks @_noAllocation
  private mutating func renderAppAudio(_ io: UnsafePointer<CycleBuffers>) {
    guard cells.isSending.load(), !controls.isAuditioned.load() else { return appAudio.markIdle() }
    let isSpeaking = meters.pointee.hasVoice && !controls.isMicrophoneMuted.load()
    appAudio.render(frames: io.pointee.frames, rate: io.pointee.rate, isSpeaking: isSpeaking)
  }

  /// Processes the microphone into the voice. `lost`: frames of microphone and reference that were missed before this cycle.
  @_noLocks @_noAllocation
  private mutating func captureVoice(
    _ io: UnsafePointer<CycleBuffers>, mix: (left: UnsafePointer<Float>, right: UnsafePointer<Float>), lost: Int,
    tape: UnsafeMutablePointer<AuditionTape>?
  ) {
    adoptNewCapture()
    cells.wantedRate.store(UInt64(io.pointee.rate))
    if clock.isBreak {
      markCaptureIdle()
      (awaitedReference, hasReference) = (0, false)
    }
    let isSending = cells.isSending.load()
    if !isSending { (awaitedReference, hasReference) = (0, false) }
    guard isSending, let capture, capture.pointee.rate == io.pointee.rate, !awaitsReference(io, mix: mix.left) else {
      markCaptureIdle()
      silenceVoice(io, frames: io.pointee.frames)
      return
    }
    let usesMix = cells.usesMixAsReference.load()
    let voice = io.pointee.voice ?? buffer(2)
    let isStereo = isStereo(io, capture)
    let microphone = microphone(
      io, right: capture.pointee.rightMicrophone(isStereo: isStereo), reference: usesMix ? mix.left : io.pointee.reference.left,
      isStereo: isStereo, wantsArray: capture.pointee.hearsArray && !isStereo && controls.usesVoiceProcessing.load())
    if lost > 0 { capture.pointee.lose(frames: lost) }
    let room = capture.pointee.hasRightSide ? io.pointee.voiceRight ?? capture.pointee.rightVoice : nil
    let isArray = inputs.isArray && capture.pointee.hearsArray
    capture.pointee.process(
      microphone: microphone, reference: usesMix ? mix.left : io.pointee.reference.left,
      right: usesMix ? mix.right : io.pointee.reference.right,
      voice: voice, right: room, frames: io.pointee.frames, others: isArray ? inputs.array + 1 : nil,
      otherCount: isArray ? inputs.arrayCount - 1 : 0, tape: tape)
    let right = capture.pointee.isApart ? room : nil
    let hasAudio =
      (source.awaitsAudio || relay.awaitsAudio) && isAudio(voice, right, frames: io.pointee.frames, rate: io.pointee.rate)
    appAudio.mix(into: voice, right: right, frames: io.pointee.frames, rate: io.pointee.rate)
    spectra.deliver(microphone: microphone.left, voice: UnsafePointer(voice), frames: io.pointee.frames, rate: io.pointee.rate)
    source.deliver(voice, right: right, frames: io.pointee.frames, rate: io.pointee.rate, hasAudio: hasAudio)
    relay.deliver(voice, right: right, frames: io.pointee.frames, rate: io.pointee.rate, hasAudio: hasAudio)
    if right == nil, let same = io.pointee.voiceRight { copy(voice, to: same, frames: io.pointee.frames) }
  }

  /// Returns whether left and right of the microphone are to be heard apart (V16).
  @_noLocks @_noAllocation
  private mutating func isStereo(_ io: UnsafePointer<CycleBuffers>, _ capture: UnsafeMutablePointer<CapturePath>) -> Bool {
    let isStereo =
      capture.pointee.hasRightSide && io.pointee.microphone == nil && io.pointee.microphoneCount > 1 && controls.permitsStereo
      && (source.channelCount == 2 || inputs.wantsTwo)
    controls.isStereo.store(isStereo)
    return isStereo
  }

  /// Tells everything that the microphone passes of a gap before the next cycle.
  @_noLocks @_noAllocation
  private mutating func markCaptureIdle() {
    capture?.pointee.markIdle()
    spectra.restart()
    controls.isStereo.store(false)
  }

  /// Returns whether to keep the voice silent because the speaker plays while the reference is not linked, or, at the beginning, its link
  /// passes nothing yet: what comes later than a cycle, as in a loop of the graph, and than 10 ms, as in a resampler, is not in time for
  /// the echo. Gives up after 0.5 s of that, because the link may be impossible, or the speaker's monitor silent.
  @_noLocks @_noAllocation
  private mutating func awaitsReference(_ io: UnsafePointer<CycleBuffers>, mix: UnsafePointer<Float>) -> Bool {
    let frames = io.pointee.frames, (left, right) = (io.pointee.reference.left, io.pointee.reference.right)
    let isLinked = left != nil || right != nil
    if cells.usesMixAsReference.load() || !controls.usesVoiceProcessing.load() || isLinked && hasReference {
      (hasReference, awaitedReference) = (true, 0)
      return false
    }
    if !isSilent(left, frames: frames) || !isSilent(right, frames: frames) {
      (hasReference, awaitedReference) = (true, 0)
      return false
    }
    hasReference = false
    // The speaker may begin later than the microphone.
    guard io.pointee.speaker.left != nil, checkedPeak(mix, frames: frames) > 1e-4, 2 * awaitedReference < io.pointee.rate else {
      return false
    }
    awaitedReference += frames
    return !isLinked || awaitedReference > max(frames, io.pointee.rate / 100)
  }

  @_noLocks @_noAllocation
  private func isSilent(_ samples: UnsafePointer<Float>?, frames: Int) -> Bool {
    if let samples { checkedPeak(samples, frames: frames) < 1e-6 } else { true }
  }

  /// Returns whether the microphone's part of the voice is more than silence (T5): above −50 dBFS, which a microphone in a quiet room is
  /// not; with processing also a softer voice, after talking for longer than starting noise can be taken for one.
  @_noLocks @_noAllocation
  private mutating func isAudio(_ voice: UnsafePointer<Float>, _ right: UnsafeMutablePointer<Float>?, frames: Int, rate: Int) -> Bool {
    var peak = checkedPeak(voice, frames: frames)
    if let right { peak = max(peak, checkedPeak(right, frames: frames)) }
    if peak < 0.003_16 {
      guard controls.usesVoiceProcessing.load() else { return false }
      if peak >= 1 / 32_768, meters.pointee.hasVoice { voicedFrames += frames }
      guard 2 * voicedFrames >= 3 * rate else { return false }
    }
    voicedFrames = 0
    return true
  }

  /// Lets a path from the control side take over from the current one, which is returned when it is no longer heard.
  @_noLocks @_noAllocation
  private mutating func adoptNewCapture() {
    if let old = retiring, capture?.pointee.isTakingOver != true, captureMailbox.giveBack(UnsafeMutableRawPointer(old)) { retiring = nil }
    guard retiring == nil, let new = captureMailbox.take(returning: nil)?.assumingMemoryBound(to: CapturePath.self) else { return }
    if let capture { new.pointee.takeOver(from: capture) }
    retiring = capture
    capture = new
  }

  /// Returns the microphone; of one with several channels, those that are to be heard. `right`: room for the right one, where it is needed.
  @_noLocks @_noAllocation
  private mutating func microphone(
    _ io: UnsafePointer<CycleBuffers>, right: UnsafeMutablePointer<Float>?, reference: UnsafePointer<Float>?, isStereo: Bool,
    wantsArray: Bool
  ) -> CapturePath.Sides {
    guard io.pointee.microphone == nil, let channels = io.pointee.microphones, io.pointee.microphoneCount > 0 else {
      inputs.markIdle()
      // While nothing is linked, what comes next is not known.
      if io.pointee.microphone != nil { cells.wantedMicrophones.store(1) }
      return CapturePath.Sides(left: io.pointee.microphone, right: nil, isStereo: false)
    }
    // −60 dBFS.
    let isFarEndActive = if let reference { checkedPeak(reference, frames: io.pointee.frames) > 1e-3 } else { false }
    let mean = inputs.process(
      channels, count: io.pointee.microphoneCount, right: right, wantsArray: wantsArray, beamforms: controls.isBeamformingEnabled.load(),
      isFarEndActive: isFarEndActive, frames: io.pointee.frames, rate: io.pointee.rate)
    guard let mean else { return CapturePath.Sides(left: nil, right: nil, isStereo: isStereo) }
    cells.wantedMicrophones.store(UInt64(inputs.arrayCount))
    if inputs.hasChanged, isStereo || inputs.arrayCount == 1 { controls.pathChanges.add(1) }
    if inputs.placeOfFormerLead > 0, wantsArray {
      controls.leadChanges.store((controls.leadChanges.load() >> 3 &+ 1) << 3 | UInt64(inputs.placeOfFormerLead))
    }
    return CapturePath.Sides(left: mean, right: UnsafePointer(right), isStereo: isStereo)
  }

  /// Halves both sides for a speaker of one channel, which receives their sum.
  // `mutating`: Swift 6.3 copies the structure for a method that is not.
  @_noLocks @_noAllocation
  private mutating func scaleSpeaker(_ io: UnsafePointer<CycleBuffers>) {
    guard cells.speakerPortsPerChannel.load() > 1 else { return }
    if let left = io.pointee.speaker.left { scale(left, by: 0.5, frames: io.pointee.frames) }
    if let right = io.pointee.speaker.right { scale(right, by: 0.5, frames: io.pointee.frames) }
  }

  @_noLocks @_noAllocation
  private func buffer(_ index: Int) -> UnsafeMutablePointer<Float> { scratch + index * Self.maximumQuantum }
}

/// What the control side tells the cycle as a whole.
struct CoreCells: Sendable {
  let isSending: FlagCell
  let isInterrupted: FlagCell
  let usesMixAsReference: FlagCell
  let speakerPortsPerChannel: CounterCell
  /// Set by the audio thread: the rate, and the number of microphones of an array, that a capture path is needed for.
  let wantedRate, wantedMicrophones: CounterCell

  init(_ block: inout CellBlock) {
    isSending = FlagCell(block.next())
    isInterrupted = FlagCell(block.next())
    usesMixAsReference = FlagCell(block.next())
    speakerPortsPerChannel = CounterCell(block.next())
    wantedRate = CounterCell(block.next())
    wantedMicrophones = CounterCell(block.next())
  }
}
