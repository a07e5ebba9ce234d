import RealtimeCore
import SessionModel
import Synchronization

/// Renders manually (S9): mixer and voice processing without a device or a daemon. The caller supplies and takes the blocks.
///
/// ```swift
/// let renderer = try ManualRenderer(rate: 48_000)
/// let bob = try renderer.makeOutput(sampleRate: 16_000)
/// try bob.write(samples)
/// let cycle = try renderer.cycle(microphone: block)
/// play(cycle.speaker)
/// send(cycle.voice)
/// ```
///
///     outputs, call ──▶ cycle ──▶ speaker
///     microphone, reference ─▶ │ ──▶ voice, tap
///
/// It has no audio code of its own: a cycle runs what the graph's audio thread runs, on the same `AudioCore`, so the same blocks give the
/// same samples live and here.
///
/// **Threads.** One thread at a time calls `cycle` and sets `rate`; it need not be realtime, and nothing waits for it. Outputs, settings
/// and meters may be used on any thread, as live.
// `@unchecked Sendable`: the core is for any thread; `rate` and `position` belong to the one thread that runs the cycles.
public final class ManualRenderer: @unchecked Sendable {
  /// Allowed frames per cycle.
  public static let quanta = 32...8_192
  /// Allowed rates in Hz.
  public static let rates = 16_000...192_000

  let core: AudioCore
  private let mode = Mutex(MicrophoneMuteMode.voiceProcessing)
  var muteMode: MicrophoneMuteMode {
    get { mode.withLock { $0 } }
    set { mode.withLock { $0 = newValue } }
  }
  /// The rate of the current capture path. Locked while one is made or freed, because any thread may choose another engine.
  let prepared: Mutex<Int>
  /// The number of outputs so far.
  let outputs = Atomic(0)
  /// The number of taps so far; only the last one receives anything.
  let taps = Mutex(0)
  private let processor: CycleProcessor
  /// Called before each cycle.
  let willRunCycle = Callback<@Sendable () -> Void>()
  /// Called ten times per second of audio.
  private let didRunCycles: @Sendable () -> Void
  private var framesSincePoll = 0
  /// Rate of the blocks from the next cycle on, in Hz. Outputs are converted to it.
  public private(set) var rate: Int
  /// Total frames of all cycles.
  public private(set) var position: UInt64 = 0

  /// - Parameters:
  ///   - rate: the rate of all blocks in Hz, in `rates`.
  ///   - reference: the canceller's reference: each cycle's `reference`, if the caller's speaker plays other things too, or the cycle's own
  ///     mix.
  /// - Throws: `ManualRenderingError.capturePath` for an impossible rate. [any]
  public convenience init(rate: Int = 48_000, reference: ReferenceSource = .mix) throws(ManualRenderingError) {
    try self.init(rate: rate, reference: reference, tuning: .standard)
  }

  /// As the public one. `tuning` is that of nearend's own engine.
  package init(rate: Int, reference: ReferenceSource = .mix, tuning: Tuning) throws(ManualRenderingError) {
    do throws(CapturePathError) {
      core = try AudioCore(usesMixAsReference: reference == .mix, rate: rate, tuning: tuning)
    } catch {
      throw .capturePath(error)
    }
    prepared = Mutex(rate)
    core.isolation.isSynchronous = true
    core.plugIns.isSynchronous = true
    processor = core.realtime
    self.rate = rate
    didRunCycles = {}
    core.isSending = true
  }

  /// Runs the cycles of a session's own core, initially at 48 kHz.
  init(core: AudioCore, didRunCycles: @escaping @Sendable () -> Void) {
    self.core = core
    self.didRunCycles = didRunCycles
    prepared = Mutex(48_000)
    core.isolation.isSynchronous = true
    core.plugIns.isSynchronous = true
    processor = core.realtime
    rate = 48_000
  }

  /// Changes `rate`, which resets voice processing. Throws `ManualRenderingError.capturePath`, and keeps the rate.
  public func setRate(_ rate: Int) throws(ManualRenderingError) {
    do throws(CapturePathError) {
      try prepared.withLock { prepared throws(CapturePathError) in
        try core.prepare(rate: rate)
        prepared = rate
      }
    } catch {
      throw .capturePath(error)
    }
    self.rate = rate
  }

  /// A Boolean value indicating whether the microphone is processed. If false, the voice is silent, as in a live session whose voice has no
  /// consumer; the speaker continues. [any]
  public var isSending: Bool {
    get { core.isSending }
    set { core.isSending = newValue }
  }

  /// The delay of the voice in frames, in cycles of `quantum` frames, with the current settings (V8).
  public func latency(quantum: Int) -> Int { prepared.withLock { _ in core.captureLatency(quantum: quantum) } }

  /// Frames between a sample of the reference and its echo in the microphone, if the caller knows (V5). [any]
  public var streamDelay: Int {
    get { core.streamDelay }
    set { core.streamDelay = newValue }
  }

  /// The capture path's measurements (V6). [any]
  package var meters: CaptureMeters { core.meters.snapshot() }

  /// Announces a microphone of so many channels, before its first cycle. Throws `ManualRenderingError.capturePath`.
  package func prepare(microphoneChannels count: Int) throws(ManualRenderingError) {
    core.expect(microphoneChannels: count)
    try setRate(rate)
  }

  /// Channels wanted of the voice, 1 or 2. Takes effect with the next `prepare`. [any]
  package var voiceChannelCount: Int {
    get { core.source.channelCount }
    set { core.source.channelCount = newValue }
  }

  /// A Boolean value indicating whether a microphone of several channels gives a voice of two, with the current settings (V16). [any]
  package var givesStereo: Bool { core.wantsStereo && core.controls.permitsStereo }

  /// The channels of the last cycle's microphone, if it had several (V15). [any]
  package var microphoneInputs: [MicrophoneInput] { core.inputs.inputs }

  /// A program's own stages, as in a live `AudioEngine` (S6). [any]
  public var captureStages: StageChain { core.captureStages }
  /// A program's own stages on the mix, before its volume and the limiter, as in a live `AudioEngine` (S6). [any]
  public var renderStages: StageChain { core.mixer.stages }
  /// LADSPA plug-ins as stages; they are loaded into this process untried. [any]
  public var plugIns: PlugInRack { core.plugIns }

  // MARK: Cycles

  /// Runs one cycle: mixes the outputs and `call` to `speaker`, and makes the voice from the microphone.
  ///
  /// - Parameter buffers: mono and stereo floats, full scale ±1, `frames` of each; nil inputs are silent, nil outputs are omitted. Its
  ///   `rate` and `position` are set to the renderer's own.
  /// - Throws: `ManualRenderingError.quantum`; nothing has been processed then.
  package func cycle(_ buffers: inout CycleBuffers) throws(ManualRenderingError) {
    guard Self.quanta.contains(buffers.frames) else { throw .quantum(buffers.frames) }
    buffers.rate = rate
    buffers.position = position
    willRunCycle.current?()
    WebRTCLibrary.making.shared { withUnsafePointer(to: &buffers) { processor.process($0, graphSinks: nil) } }
    position += UInt64(buffers.frames)
    prepared.withLock { _ in
      core.collect()
      // Synchronously in each cycle, however fast the cycles run: the same samples as live.
      core.isolation.drain()
      core.plugIns.drain()
    }
    framesSincePoll += buffers.frames
    if framesSincePoll >= rate / 10 {
      framesSincePoll = 0
      didRunCycles()
    }
  }

  /// Runs one cycle on arrays as long as the microphone's.
  ///
  /// - Parameters:
  ///   - microphone: mono.
  ///   - reference: what the speaker plays, for a renderer with `reference: .everything`.
  ///   - call: stereo, mixed into the speaker beside the outputs.
  /// - Throws: `ManualRenderingError`; nothing has been processed then.
  public func cycle(microphone: [Float], reference: StereoBlock? = nil, call: StereoBlock? = nil) throws(ManualRenderingError)
    -> ManualCycle
  {
    let frames = microphone.count
    for block in [reference, call].compactMap({ $0 }) where block.left.count != frames || block.right.count != frames {
      throw .blockLength(block.left.count != frames ? block.left.count : block.right.count, expected: frames)
    }
    var (voice, left, right) = ManualCycle.silence(frames: frames)
    var buffers = CycleBuffers(frames: frames, rate: rate, position: position, driver: 0)
    let outcome: Result<Void, ManualRenderingError> = StereoBlock.withPointers(to: reference) { reference in
      StereoBlock.withPointers(to: call) { call in
        microphone.withUnsafeBufferPointer { microphone in
          voice.withUnsafeMutableBufferPointer { voice in
            left.withUnsafeMutableBufferPointer { left in
              right.withUnsafeMutableBufferPointer { right in
                buffers.microphone = microphone.baseAddress
                buffers.reference = reference
                buffers.call = call
                buffers.voice = voice.baseAddress
                buffers.speaker = (left.baseAddress, right.baseAddress)
                return Result { () throws(ManualRenderingError) in try cycle(&buffers) }
              }
            }
          }
        }
      }
    }
    try outcome.get()
    return ManualCycle(voice: voice, speaker: StereoBlock(left: left, right: right))
  }

  /// Renders only the speaker's side: `frames` of the mix. The microphone's side of this cycle is silent.
  /// - Throws: `ManualRenderingError.quantum`.
  public func render(frames: Int) throws(ManualRenderingError) -> StereoBlock {
    guard Self.quanta.contains(frames) else { throw .quantum(frames) }
    return try cycle(microphone: [Float](repeating: 0, count: frames)).speaker
  }

  // MARK: Application audio

  /// Plays a buffer into the outgoing microphone from the next cycle on, after earlier ones (D4). Returns false, and plays none of it,
  /// while `isSending` is false, or if more than two seconds would wait. [any]
  public func capture(appAudio buffer: AppAudioBuffer) -> Bool { core.capture(appAudio: buffer) }

  /// Ends the captured audio: it plays out at once instead of waiting for more. [any]
  public func endAppAudio() { core.appAudio.endCapture() }
}
