import Dispatch
import Synchronization

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
  // Only the control thread posts capture paths, one after another.
  private var prepared: Wanted?
  private var impossible: Wanted?
  private var newest: UnsafeMutablePointer<CapturePath>?
  /// Whether a path is being made, or waits for the next `renewCapturePath`. [control]
  public private(set) var isMakingCapturePath = false
  /// Where paths are made, one after another: that takes longer than whoever looks after the graph may wait.
  private let maker = DispatchQueue(label: "nearend.capture", qos: .userInitiated)
  private let made = Made()

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
    self.usesMixAsReference = usesMixAsReference
    setChannelScales(microphone: 1, speaker: 1)
    try prepare(rate: rate)
  }

  /// The audio thread must have stopped for good.
  deinit {
    maker.sync {}
    Self.free(made.take()?.path)
    Self.free(captureMailbox.post(nil))
    Self.free(captureMailbox.collect())
    for path in state.pointee.takeCapture() { Self.free(path) }
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

  /// Whether the echo canceller hears nearend's own mix, rather than what the real speaker plays (V4). From the next cycle on. [any]
  public var usesMixAsReference: Bool {
    get { settings.usesMixAsReference.load() != 0 }
    set { settings.usesMixAsReference.store(newValue ? 1 : 0) }
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
    return meters.quantum > 0 && meters.rate == prepared?.rate ? captureLatency(quantum: meters.quantum) : 0
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

  // MARK: The capture path

  /// What a capture path is made for.
  private struct Wanted: Equatable {
    var rate: Int
    var engine: VoiceEngine
  }

  /// Frees what the audio thread has let go of. To be called now and then while cycles run. [control]
  public func collect() {
    Self.free(captureMailbox.collect())
    mixer.collect()
    captureStages.collect()
    appAudio.collect()
  }

  /// Has a capture path made, on a thread of its own, where there is none yet for the graph's rate, with silence until a later call finds it made, or for
  /// the engine that is wanted, which takes over from the other without a click. What was made for a rate or engine that is wanted no more is thrown away.
  /// Collects besides. To be called now and then while the graph runs.
  ///
  /// Throws `CapturePathError` where there can be none, once. An engine that is refused leaves the other in use, as `controls.engine` tells then. [control]
  public func renewCapturePath() throws(CapturePathError) {
    collect()
    let rate = Int(settings.wantedRate.load())
    let wanted = Wanted(rate: rate > 0 ? rate : prepared?.rate ?? 0, engine: controls.engine)
    if let (purpose, path) = made.take() {
      isMakingCapturePath = false
      if purpose == wanted, wanted != prepared { try use(path, for: wanted) } else { Self.free(path) }
    }
    guard wanted != prepared, wanted != impossible, !isMakingCapturePath else { return }
    isMakingCapturePath = true
    maker.async { [made, controls, meters, captureStages] in made.put(wanted, Self.makePath(wanted, controls, meters, captureStages)) }
  }

  /// Makes the capture path for a rate (Hz) that the next cycle will have, so that not even that one is silent, and for the engine of now, and waits for it;
  /// nil: the rate of the path that there is. No effect where it is ready. Throws `CapturePathError`, and leaves the one that there is. [control]
  public func prepare(rate: Int? = nil) throws(CapturePathError) {
    // The audio thread takes a path only where it could give back the one before.
    collect()
    impossible = nil
    let wanted = Wanted(rate: rate ?? prepared?.rate ?? 0, engine: controls.engine)
    guard wanted != prepared else { return }
    try use(maker.sync { Self.makePath(wanted, controls, meters, captureStages) }, for: wanted)
  }

  private func use(_ path: NewPath, for wanted: Wanted) throws(CapturePathError) {
    switch path {
    case .success(let path):
      Self.free(captureMailbox.post(UnsafeMutableRawPointer(path)))
      newest = path
      prepared = wanted
    case .failure(let error):
      // An engine that is put back may be asked for again; a rate is the graph's, and stays.
      if let prepared, prepared.rate == wanted.rate { controls.engine = prepared.engine } else { impossible = wanted }
      throw error
    }
  }

  private typealias NewPath = Result<UnsafeMutablePointer<CapturePath>, CapturePathError>

  private static func makePath(_ wanted: Wanted, _ controls: CaptureControls, _ meters: CaptureMeters, _ stages: StageChain) -> NewPath {
    let path = UnsafeMutablePointer<CapturePath>.allocate(capacity: 1)
    do throws(CapturePathError) {
      path.initialize(
        to: try CapturePath(
          engine: wanted.engine, rate: wanted.rate, maximumQuantum: CoreState.maximumQuantum, controls: controls, meters: meters,
          stages: stages))
      return .success(path)
    } catch {
      path.deallocate()
      return .failure(error)
    }
  }

  /// What the maker hands over.
  // Sound: the pointer is the maker's until `put`, and whoever takes it has it alone.
  private final class Made: @unchecked Sendable {
    private let lock = Mutex(())
    private var path: (purpose: Wanted, path: NewPath)?

    func put(_ purpose: Wanted, _ path: NewPath) {
      lock.withLock { _ in self.path = (purpose, path) }
    }

    func take() -> (purpose: Wanted, path: NewPath)? {
      lock.withLock { _ in
        defer { path = nil }
        return path
      }
    }
  }

  private static func free(_ path: NewPath?) {
    if case .success(let path)? = path { free(UnsafeMutableRawPointer(path)) }
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
