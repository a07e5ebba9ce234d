/// The whole of what nearend does with sound, seen from the control side; `realtime` is the audio thread's half.
///
///     sinks, call ──▶ mixer ──▶ speaker
///                                 │ mix, or what the real speaker plays
///     microphone ─────────────▶ capture path ──▶ + ──▶ voice, source
///     application audio ─────────────────────────┘
// Sound: everything shared with the audio thread is atomic or goes through a mailbox; the rest is immutable, or guarded by the mixer.
public final class AudioCore: @unchecked Sendable {
  public let mixer = Mixer()
  public let controls = CaptureControls()
  public let meters = CaptureMeters()
  /// What programs play into the outgoing microphone (D4).
  public let appAudio = AppAudio()
  /// Where a program takes the voice from.
  public let source = SourceTap()
  /// A program's own stages between voice processing and mute (S6); those of the render chain are the mixer's.
  public let captureStages = StageChain()

  private let state: UnsafeMutablePointer<CoreState>
  private let captureMailbox = Mailbox()
  private let settings: CoreSettings
  private let clock: CycleClock.Reading
  private let memory: CellBlock
  // Only the control thread makes capture paths, one after another.
  private var preparedRate = 0
  private var impossibleRate = 0
  private var newest: UnsafeMutablePointer<CapturePath>?

  /// A core with a capture path for `rate` (Hz, 16000…192000) ready; other rates follow when the graph has them. Throws `CapturePathError`. [control]
  public init(usesMixAsReference: Bool = false, rate: Int = 48_000) throws(CapturePathError) {
    var memory = CellBlock(count: CycleClock.cellCount + CoreSettings.cellCount)
    let clock = CycleClock(&memory)
    let settings = CoreSettings(&memory)
    self.memory = memory
    self.clock = clock.reading
    self.settings = settings
    state = .allocate(capacity: 1)
    state.initialize(
      to: CoreState(
        clock: clock, render: mixer.renderPath,
        appAudio: AppAudioPath(sources: appAudio.mixer.renderPath, cells: appAudio.cells, maximumQuantum: CoreState.maximumQuantum),
        captureMailbox: captureMailbox, controls: controls.cells, meters: meters.cells, settings: settings, source: source.delivery))
    settings.usesMixAsReference.store(usesMixAsReference ? 1 : 0)
    setChannelScales(microphone: 1, speaker: 1)
    try prepareCapture(rate: rate)
  }

  /// The audio thread must have stopped for good.
  deinit {
    Self.free(captureMailbox.post(nil))
    Self.free(captureMailbox.collect())
    Self.free(UnsafeMutableRawPointer(state.pointee.takeCapture()))
    captureMailbox.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// What the audio thread works on; valid as long as the core.
  public var realtime: CycleProcessor { CycleProcessor(state: state) }

  // MARK: What the graph's side tells the audio thread

  /// Whether anybody takes the voice: if not, the capture path rests (L4). [any]
  public var isSending: Bool {
    get { settings.isSending.load() != 0 }
    set { settings.isSending.store(newValue ? 1 : 0) }
  }

  /// Whether something holds the session up: then nothing is taken out of the sinks, whoever plays meanwhile (I2). [any]
  public var isHeld: Bool {
    get { settings.isHeld.load() != 0 }
    set { settings.isHeld.store(newValue ? 1 : 0) }
  }

  /// Frames between a sample of the reference and its echo, as the graph's latencies tell it (V5). [any]
  public var streamDelay: Int {
    get { controls.streamDelay }
    set { controls.streamDelay = newValue }
  }

  /// How many of the microphone's channels, and how many of our speaker ports, add up in one port. [any]
  public func setChannelScales(microphone: Int, speaker: Int) {
    settings.microphoneChannels.store(UInt64(max(1, microphone)))
    settings.speakerPortsPerChannel.store(UInt64(max(1, speaker)))
  }

  /// The graph starts anew: a gap before the next cycle is no xrun. [any]
  public func graphRestarted() { clock.restart() }

  /// Plays a buffer into the outgoing microphone, behind what was captured before (D4); false, and nothing of it heard, while nobody takes the voice, or
  /// where more than `AppAudio.captureSeconds` would wait. [any]
  public func capture(appAudio buffer: AppAudioBuffer) -> Bool { isSending && !isHeld && appAudio.capture(buffer) }

  // MARK: What the audio thread tells

  /// [any]
  public var cycleMeters: CycleMeters { clock.meters }

  /// Frames that nearend adds between the microphone's port and the voice's, for the graph's quantum and rate of now. [control]
  public var captureLatency: Int {
    let meters = cycleMeters
    return meters.quantum > 0 && meters.rate == preparedRate ? captureLatency(quantum: meters.quantum) : 0
  }

  /// The same for any quantum, at the rate that the capture path was made for. [control]
  public func captureLatency(quantum: Int) -> Int {
    let processing = controls.usesVoiceProcessing ? newest?.pointee.latency(quantum: quantum) : nil
    return (processing ?? 0) + captureStages.latency
  }

  /// Frames that nearend adds between the call's port and the speaker's: those of a program's own stages, for the mixer and its limiter look at no sample
  /// but the one that they put out.
  public var renderLatency: Int { RenderPath.latency + mixer.stages.latency }

  /// Somebody talks into the muted microphone (D2), as the capture path told last. [any]
  public var isTalkingWhileMuted: Bool {
    controls.isMicrophoneMuted && controls.usesVoiceProcessing && meters.cells.isTalkingWhileMuted.isOn()
  }

  /// Puts the counters of cycles missed back to 0. [any]
  public func clearCounters() {
    clock.clearCounters()
    for sink in mixer.ringSinks + appAudio.mixer.ringSinks { sink.clearCounters() }
  }

  // MARK: The capture path's rate

  /// Makes a capture path where the graph has a rate that there is none for yet; until then the voice is silent. Frees what is no longer used. To be
  /// called now and then while the graph runs. Throws `CapturePathError` where the rate is impossible, once for that rate. [control]
  public func prepareForGraphRate() throws(CapturePathError) {
    Self.free(captureMailbox.collect())
    mixer.collect()
    captureStages.collect()
    appAudio.collect()
    let wanted = Int(settings.wantedRate.load())
    guard wanted > 0, wanted != preparedRate, wanted != impossibleRate else { return }
    do throws(CapturePathError) {
      try prepareCapture(rate: wanted)
    } catch {
      impossibleRate = wanted
      throw error
    }
  }

  /// Makes the capture path for a rate (Hz) that the next cycle will have, so that not even that one is silent; no effect where it is ready. Throws
  /// `CapturePathError`, and leaves the one that there is. [control]
  public func prepare(rate: Int) throws(CapturePathError) {
    if rate != preparedRate { try prepareCapture(rate: rate) }
  }

  private func prepareCapture(rate: Int) throws(CapturePathError) {
    let path = UnsafeMutablePointer<CapturePath>.allocate(capacity: 1)
    do {
      path.initialize(
        to: try CapturePath(
          rate: rate, maximumQuantum: CoreState.maximumQuantum, controls: controls, meters: meters, stages: captureStages))
    } catch {
      path.deallocate()
      throw error
    }
    Self.free(captureMailbox.post(UnsafeMutableRawPointer(path)))
    newest = path
    preparedRate = rate
  }

  private static func free(_ path: UnsafeMutableRawPointer?) {
    guard let path = path?.assumingMemoryBound(to: CapturePath.self) else { return }
    path.deinitialize(count: 1)
    path.deallocate()
  }
}

/// The audio thread's half of an `AudioCore`, to be copied freely; the core must outlive the last cycle.
// Sound: what is behind the pointer is touched by one thread at a time, the one that runs the cycles.
public struct CycleProcessor: @unchecked Sendable {
  fileprivate let state: UnsafeMutablePointer<CoreState>

  /// Frames of the longest cycle that is processed.
  @inlinable
  public static var maximumQuantum: Int {
    @_noLocks @_noAllocation get { 8_192 }
  }

  /// One cycle of the graph. `graphSinks` has `Mixer.capacity` entries, or is nil where there is none. [realtime]
  @_noLocks @_noAllocation
  public func process(_ buffers: UnsafePointer<CycleBuffers>, graphSinks: UnsafePointer<StereoInput>?) {
    state.pointee.process(buffers, graphSinks: graphSinks)
  }

  /// At the end of each cycle: how long it took. [realtime]
  @_noLocks @_noAllocation
  public func cycleEnded(_ buffers: UnsafePointer<CycleBuffers>, nanoseconds: UInt64) {
    guard buffers.pointee.frames > 0, buffers.pointee.rate > 0 else { return }
    state.pointee.clock.end(frames: buffers.pointee.frames, rate: buffers.pointee.rate, nanoseconds: nanoseconds)
  }
}
