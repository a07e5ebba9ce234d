internal import Platform
import Synchronization

/// All of nearend's audio, seen from the control side; `realtime` is the audio thread's half.
///
///     sinks, call ──▶ mixer ──▶ speaker
///                                 │ mix, or what the real speaker plays
///     microphone ─────────────▶ capture path ──▶ + ──▶ voice, source
///     application audio ─────────────────────────┘
// `@unchecked Sendable`: everything shared with the audio thread is atomic or goes through a mailbox; the rest is immutable, or guarded by
// the mixer.
package final class AudioCore: @unchecked Sendable {
  /// The path to the speaker: sinks, volumes, pause, and the render chain's stages. [any]
  package let mixer = Mixer()
  /// Switches of the capture path, which outlive every path. [any]
  package let controls = CaptureControls()
  /// Measurements of the capture path; one set of meters for all paths (V6). [any]
  package let meters = SequenceLocked(CaptureMeters())
  /// Application audio, played by programs into the outgoing microphone (D4).
  package let appAudio = AppAudio()
  /// Delivers the voice to a program.
  package let source = SourceTap()
  /// Delivers the voice to the programs that have joined.
  package let relay = SourceTap()
  /// Delivers microphone and voice to whoever computes their spectra.
  package let spectra = SpectrumTap()
  /// Which channels of the microphone are heard (V15). [any]
  package let inputs = MicrophoneInputs()
  /// Lets people hear themselves.
  package let audition = AuditionTap()
  /// The program's own stages between voice processing and mute (S6); those of the render chain belong to the mixer.
  package let captureStages = StageChain()

  /// Voice isolation, a mode of the microphone (V12).
  package let isolation: VoiceIsolation
  /// LADSPA plug-ins among the stages of both chains.
  package let plugIns: PlugInRack

  private let state: Owned<CoreState>
  private let captureMailbox: Mailbox
  private let cells: CoreCells
  private let cycle: CycleReading
  private let memory: CellBlock
  /// Of nearend's own engine.
  private let tuning: Tuning
  // Only the control thread posts capture paths, one after another.
  private var prepared: Wanted?
  private var impossible: Wanted?
  private var newest: UnsafeMutablePointer<CapturePath>?
  /// Whether a path, or voice isolation, is being made, or waits for the next `renewCapturePath`. [control]
  package var isMakingCapturePath: Bool { isMakingPath || isolation.isMaking }
  private var isMakingPath = false
  /// Capture paths so far, each of which began to learn anew. [any]
  package let capturePaths = Atomic(0)
  /// Makes paths one after another, which takes longer than the control thread may wait.
  private let maker = SerialThread(name: "nearend.capture")
  private let made = Made()

  /// Creates a core with a capture path for `rate` (Hz, 16000…192000); other rates follow when the graph has them. Throws
  /// `CapturePathError`. [control]
  package init(usesMixAsReference: Bool = false, rate: Int = 48_000, tuning: Tuning = .standard) throws(CapturePathError) {
    self.tuning = tuning
    var memory = CellBlock()
    let cycle = CycleReading(&memory)
    let cells = CoreCells(&memory)
    captureMailbox = Mailbox(&memory)
    self.memory = memory
    isolation = VoiceIsolation(controls: controls)
    plugIns = PlugInRack(capture: captureStages, render: mixer.stages)
    self.cycle = cycle
    self.cells = cells
    state = Owned(
      CoreState(
        clock: cycle.clock, render: mixer.renderPath,
        appAudio: AppAudioPath(sources: appAudio.mixer.renderPath, cells: appAudio.cells, maximumQuantum: CoreState.maximumQuantum),
        captureMailbox: captureMailbox, controls: controls.cells, meters: UnsafePointer(meters.draft), cells: cells,
        source: source.delivery, relay: relay.delivery, spectra: spectra.makeDelivery(), audition: audition.cells,
        inputs: InputMix(inputs)))
    self.usesMixAsReference = usesMixAsReference
    setSpeakerPorts(perChannel: 1)
    try prepare(rate: rate)
  }

  /// The audio thread must have stopped for good.
  deinit {
    maker.flush()
    Self.free(made.take()?.path)
    Self.free(captureMailbox.post(nil))
    Self.free(captureMailbox.collect())
    for path in state.pointer.pointee.releaseCapture() { _ = Owned(adopting: path) }
  }

  /// The audio thread's half; valid as long as the core.
  package var realtime: CycleProcessor { CycleProcessor(state: state.pointer) }

  // MARK: What the control side sets

  /// Whether the voice has a consumer; if not, the capture path idles (L4). [any]
  package var isSending: Bool {
    get { cells.isSending.load() }
    set { cells.isSending.store(newValue) }
  }

  /// Whether the session is interrupted; if so, no sink is read, whoever plays (I2). [any]
  package var isInterrupted: Bool {
    get { cells.isInterrupted.load() }
    set { cells.isInterrupted.store(newValue) }
  }

  /// Whether the reference is nearend's own mix, rather than what the real speaker plays (V4). Takes effect with the next cycle. [any]
  package var usesMixAsReference: Bool {
    get { cells.usesMixAsReference.load() }
    set { cells.usesMixAsReference.store(newValue) }
  }

  /// Frames between a sample of the reference and its echo, according to the graph's latencies (V5). [any]
  package var streamDelay: Int {
    get { controls.streamDelay }
    set { controls.streamDelay = newValue }
  }

  /// Sets how many of the filter's speaker ports add up in one speaker channel. [any]
  package func setSpeakerPorts(perChannel count: Int) { cells.speakerPortsPerChannel.store(UInt64(max(1, count))) }

  /// Reports that the graph restarts: a gap before the next cycle is no xrun. [any]
  package func graphRestarted() { cycle.restart() }

  /// Plays a buffer into the outgoing microphone, after what was captured before (D4). Returns false, and plays none of it, while the voice
  /// has no consumer, or if more than `AppAudio.captureSeconds` would wait. [any]
  package func capture(appAudio buffer: AppAudioBuffer) -> Bool { isSending && !isInterrupted && appAudio.capture(buffer) }

  // MARK: What the audio thread reports

  /// Measurements of the cycles. [any]
  package var cycleMeters: CycleMeters { cycle.meters }

  /// Frames that nearend adds between the microphone's port and the voice's, for the graph's current quantum and rate. [control]
  package var captureLatency: Int {
    let meters = cycleMeters
    return meters.quantum > 0 && meters.rate == prepared?.rate ? captureLatency(quantum: meters.quantum) : 0
  }

  /// Returns the same for a given quantum, at the capture path's rate. [control]
  package func captureLatency(quantum: Int) -> Int {
    let processing = controls.usesVoiceProcessing ? newest?.pointee.latency(quantum: quantum) : nil
    return (processing.map { $0 + isolation.latency(quantum: quantum) } ?? 0) + captureStages.latency
  }

  /// Frames that nearend adds between the call's port and the speaker's: the latency of the program's own stages, because the mixer and its
  /// limiter add none.
  package var renderLatency: Int { RenderPath.latency + mixer.stages.latency }

  /// Whether somebody talks into the muted microphone (D2). [any]
  package var isTalkingWhileMuted: Bool {
    controls.isMicrophoneMuted && !controls.isAuditioned && controls.usesVoiceProcessing && meters.snapshot().isTalkingWhileMuted
  }

  /// Resets the counters of missed cycles, late isolation blocks and every ring sink. [any]
  package func clearCounters() {
    cycle.clearCounters()
    isolation.clearCounters()
    for sink in mixer.ringSinks + appAudio.mixer.ringSinks { sink.clearCounters() }
  }

  // MARK: The capture path

  /// A Boolean value indicating whether the voice is to have two channels where microphone and settings permit it (V16). [any]
  package var wantsStereo: Bool { source.channelCount == 2 || inputs.wantsTwo }

  /// Returns what is wanted at a rate. A path that can do stereo stays so: its right side does not run in mono, and to replace it would
  /// cost the canceller what it has learnt.
  private func wanted(rate: Int) -> Wanted {
    Wanted(
      rate: rate, engine: controls.engine, isStereo: wantsStereo || prepared?.isStereo == true, microphones: wantedMicrophones)
  }

  /// The properties of a capture path.
  private struct Wanted: Equatable {
    var rate: Int
    var engine: EchoCanceller
    var isStereo: Bool
    /// Heard as an array.
    var microphones: Int
  }

  private var wantedMicrophones: Int { max(1, Int(cells.wantedMicrophones.load())) }

  /// Announces a microphone with so many channels, so that `prepare`, or the next `renewCapturePath`, makes a path for it before its first
  /// cycle. Returns whether that is another path than the last. [control]
  @discardableResult
  package func expect(microphoneChannels count: Int) -> Bool {
    cells.wantedMicrophones.store(UInt64(inputs.arrayCount(of: count)))
    return prepared.map { $0.microphones != wantedMicrophones } ?? true
  }

  /// Frees what the audio thread has released. Call this periodically while cycles run. [control]
  package func collect() {
    Self.free(captureMailbox.collect())
    mixer.collect()
    captureStages.collect()
    appAudio.collect()
    isolation.collect()
    plugIns.collect()
  }

  /// Makes a capture path on a thread of its own if there is none for the graph's rate and the wanted engine. Until a later call finds it
  /// ready, a new rate is silent; a new engine takes over from the old one without a click. A path that is no longer wanted is discarded.
  /// Also collects. Call this periodically while the graph runs.
  ///
  /// Throws `CapturePathError` once if a path is impossible. If an engine is refused, the previous one stays in use, and `controls.engine`
  /// is reset to it. [control]
  package func renewCapturePath() throws(CapturePathError) {
    collect()
    let rate = Int(cells.wantedRate.load())
    let wanted = wanted(rate: rate > 0 ? rate : prepared?.rate ?? 0)
    isolation.renew(rate: wanted.rate, on: maker)
    plugIns.renew(rate: wanted.rate, isStereo: wanted.isStereo)
    if let (purpose, path) = made.take() {
      isMakingPath = false
      if purpose == wanted, wanted != prepared { try install(path, for: wanted) } else { Self.free(path) }
    }
    guard wanted != prepared, wanted != impossible, !isMakingPath else { return }
    isMakingPath = true
    maker.async { [made, tuning, controls, meters, captureStages, isolation] in
      made.put(wanted, Self.makePath(wanted, tuning, controls, meters, captureStages, isolation))
    }
  }

  /// Makes the capture path for the next cycle's rate (Hz), so that not even that cycle is silent, and for the wanted engine, and waits for
  /// it. nil keeps the rate of the existing path. No effect if it is ready. Throws `CapturePathError`, and keeps the existing path.
  /// [control]
  package func prepare(rate: Int? = nil) throws(CapturePathError) {
    // The audio thread takes a path only if it can return the previous one.
    collect()
    impossible = nil
    let wanted = wanted(rate: rate ?? prepared?.rate ?? 0)
    isolation.prepare(rate: wanted.rate, on: maker)
    plugIns.prepare(rate: wanted.rate, isStereo: wanted.isStereo)
    guard wanted != prepared else { return }
    maker.flush()
    try install(Self.makePath(wanted, tuning, controls, meters, captureStages, isolation), for: wanted)
  }

  private func install(_ path: NewPath, for wanted: Wanted) throws(CapturePathError) {
    switch path {
    case .success(let path):
      Self.free(captureMailbox.post(UnsafeMutableRawPointer(path)))
      newest = path
      prepared = wanted
      capturePaths.add(1, ordering: .relaxed)
    case .failure(let error):
      // A refused engine may be requested again; a refused rate stays refused, because the graph keeps it.
      if let prepared, prepared.rate == wanted.rate || error == .libraryMissing {
        controls.engine = prepared.engine
      } else {
        impossible = wanted
      }
      throw error
    }
  }

  private typealias NewPath = Result<UnsafeMutablePointer<CapturePath>, CapturePathError>

  private static func makePath(
    _ wanted: Wanted, _ tuning: Tuning, _ controls: CaptureControls, _ meters: SequenceLocked<CaptureMeters>, _ stages: StageChain,
    _ isolation: VoiceIsolation
  ) -> NewPath {
    do throws(CapturePathError) {
      let path = try CapturePath(
        engine: wanted.engine, rate: wanted.rate, maximumQuantum: CoreState.maximumQuantum, isStereo: wanted.isStereo, tuning: tuning,
        controls: controls, meters: meters, stages: stages, isolation: isolation, microphones: wanted.microphones)
      return .success(Owned(path).release())
    } catch {
      return .failure(error)
    }
  }

  /// The maker's result.
  // `@unchecked Sendable`: the pointer is the maker's until `put`; afterwards only its taker has it.
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
    if case .success(let path)? = path { _ = Owned(adopting: path) }
  }

  private static func free(_ path: UnsafeMutableRawPointer?) {
    if let path { _ = Owned(adopting: path.assumingMemoryBound(to: CapturePath.self)) }
  }
}

/// The audio thread's half of an `AudioCore`. Copies are views; the core must outlive the last cycle.
// `@unchecked Sendable`: only the thread that runs the cycles touches what is behind the pointer.
package struct CycleProcessor: @unchecked Sendable {
  fileprivate let state: UnsafeMutablePointer<CoreState>

  /// Frames of the longest cycle that is processed.
  @inlinable
  package static var maximumQuantum: Int {
    @_noLocks @_noAllocation get { 8_192 }
  }

  /// Processes one cycle of the graph. `graphSinks` has `Mixer.capacity` entries, or is nil without graph sinks. [realtime]
  @_noLocks @_noAllocation
  package func process(_ buffers: UnsafePointer<CycleBuffers>, graphSinks: UnsafePointer<StereoInput>?) {
    state.pointee.process(buffers, graphSinks: graphSinks)
  }

  /// Records the duration of a cycle at its end. [realtime]
  @_noLocks @_noAllocation
  package func cycleEnded(_ buffers: UnsafePointer<CycleBuffers>, nanoseconds: UInt64) {
    guard buffers.pointee.frames > 0, buffers.pointee.rate > 0 else { return }
    state.pointee.clock.end(frames: buffers.pointee.frames, rate: buffers.pointee.rate, nanoseconds: nanoseconds)
  }
}
