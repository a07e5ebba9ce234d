import RealtimeCore
import SessionModel
import Synchronization

/// Manual rendering (S9; LiveKit: "Without Device Access (Manual Mode)"): mixer and voice processing with no device and no daemon. The
/// caller brings and takes the blocks.
///
///     ring sinks, call ──▶ cycle ──▶ speaker
///     microphone, reference ─▶ │ ──▶ voice, source
///
/// It has no code of its own for sound: a cycle is the cycle that the graph's audio thread runs, on the same `AudioCore`, so that the same
/// blocks give the same samples live and here.
///
/// **Threads.** One thread at a time calls `cycle` and sets `rate`; it need not be realtime, and nothing waits for it. Sinks, settings and
/// meters are for any thread, as live.
// Sound: the core is for any thread; `rate` and `position` belong to the one thread that runs the cycles.
public final class ManualRenderer: @unchecked Sendable {
  /// Frames of a cycle.
  public static let quanta = 32...8_192
  /// Hz.
  public static let rates = 16_000...192_000

  let core: AudioCore
  private let mode = Mutex(MicrophoneMuteMode.voiceProcessing)
  var muteMode: MicrophoneMuteMode {
    get { mode.withLock { $0 } }
    set { mode.withLock { $0 = newValue } }
  }
  /// The rate of the capture path that is ready. Held by whoever makes one or frees one: another engine is chosen on any thread.
  let prepared: Mutex<Int>
  private let processor: CycleProcessor
  /// Called ten times in a second of audio.
  private let looked: @Sendable () -> Void
  private var sinceLook = 0
  /// Of the blocks from the next cycle on, Hz. What ring sinks bring is converted to it.
  public private(set) var rate: Int
  /// Frames of all cycles.
  public private(set) var position: UInt64 = 0

  /// - Parameters:
  ///   - rate: of all blocks, Hz, `rates`.
  ///   - reference: what the canceller hears: what each cycle is given as `reference`, because the caller's speaker plays other things too,
  ///     or the mix that the cycle itself puts out.
  /// - Throws: `ManualRenderingError.capturePath` where the rate is impossible. [any]
  public init(rate: Int = 48_000, reference: ReferenceSource = .mix) throws(ManualRenderingError) {
    do throws(CapturePathError) {
      core = try AudioCore(usesMixAsReference: reference == .mix, rate: rate)
    } catch {
      throw .capturePath(error)
    }
    prepared = Mutex(rate)
    processor = core.realtime
    self.rate = rate
    looked = {}
    core.isSending = true
  }

  /// Runs the cycles of a session's own core, at 48 kHz to begin with.
  init(core: AudioCore, looked: @escaping @Sendable () -> Void) {
    self.core = core
    self.looked = looked
    prepared = Mutex(48_000)
    processor = core.realtime
    rate = 48_000
  }

  /// Changes `rate`; voice processing begins anew. Throws `ManualRenderingError.capturePath`, and leaves it as it was.
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

  /// Whether the microphone is processed. False, as live while nobody takes the voice: the voice is silent, and the speaker goes on. [any]
  public var isSending: Bool {
    get { core.isSending }
    set { core.isSending = newValue }
  }

  /// Frames by which the voice is later than the microphone in cycles of `quantum` frames, with the settings of now (V8).
  public func latency(quantum: Int) -> Int { prepared.withLock { _ in core.captureLatency(quantum: quantum) } }

  /// Frames between a sample of the reference and its echo in the microphone, where the caller knows (V5). [any]
  public var streamDelay: Int {
    get { core.streamDelay }
    set { core.streamDelay = newValue }
  }

  /// What the capture path measures (V6). [any]
  public var meters: CaptureMetersSnapshot { core.meters.snapshot() }

  /// A program's own stages, as `AudioEngine` has them live (S6). [any]
  public var captureStages: StageChain { core.captureStages }
  public var renderStages: StageChain { core.mixer.stages }

  // MARK: Cycles

  /// One cycle: mixes the sinks and `call` into `speaker`, and makes the voice out of the microphone.
  ///
  /// - Parameter buffers: mono and stereo floats, full scale ±1, `frames` of each; what is nil is silent, or not wanted. Its `rate` and
  ///   `position` are set to the renderer's own.
  /// - Throws: `ManualRenderingError.quantum`; nothing has been processed then.
  public func cycle(_ buffers: inout CycleBuffers) throws(ManualRenderingError) {
    guard Self.quanta.contains(buffers.frames) else { throw .quantum(buffers.frames) }
    buffers.rate = rate
    buffers.position = position
    withUnsafePointer(to: &buffers) { processor.process($0, graphSinks: nil) }
    position += UInt64(buffers.frames)
    prepared.withLock { _ in core.collect() }
    sinceLook += buffers.frames
    if sinceLook >= rate / 10 {
      sinceLook = 0
      looked()
    }
  }

  /// One cycle on arrays, as long as the microphone.
  ///
  /// - Parameters:
  ///   - microphone: mono.
  ///   - reference: what the speaker plays, for a renderer with `reference: .everything`.
  ///   - call: stereo, mixed into the speaker beside the sinks.
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
    let outcome: Result<Void, ManualRenderingError> = StereoBlock.lend(reference) { reference in
      StereoBlock.lend(call) { call in
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

  /// Only the speaker's side: `frames` of the mix. The microphone's side of this cycle is silence.
  /// - Throws: `ManualRenderingError.quantum`.
  public func render(frames: Int) throws(ManualRenderingError) -> StereoBlock {
    guard Self.quanta.contains(frames) else { throw .quantum(frames) }
    return try cycle(microphone: [Float](repeating: 0, count: frames)).speaker
  }

  // MARK: Application audio, sinks and source

  /// Plays a buffer into the outgoing microphone from the next cycle on, behind what was captured before (D4). False, and nothing of it heard, while
  /// `isSending` is false, or where more than two seconds would wait. [any]
  public func capture(appAudio buffer: AppAudioBuffer) -> Bool { core.capture(appAudio: buffer) }

  /// What was captured is over: it plays out at once, rather than wait for more. [any]
  public func endAppAudio() { core.appAudio.endCapture() }

  /// A participant whose PCM a program writes (K1), played from the next cycle on. `bufferSize` is in bytes. Throws `SinkError`. [any]
  public func addRingSink(id: String, sampleRate: Int, channelCount: Int, bufferSize: Int) throws(SinkError) -> RingSink {
    let sink = try RingSink(id: id, format: SinkFormat(sampleRate: sampleRate, channelCount: channelCount), capacityBytes: bufferSize)
    try core.mixer.add(sink)
    return sink
  }

  /// False where there is none of that id. [any]
  @discardableResult
  public func removeSink(id: String) -> Bool { core.mixer.remove(id: id) }

  /// Calls `callback` with `context` in each cycle from the next on, on the thread that runs it, with the processed voice. [any]
  public func setSource(context: UnsafeMutableRawPointer?, callback: @escaping MicrophoneCallback) {
    core.source.attach(callback, context: context)
  }

  /// When it returns the callback is not running and is not called again. [any, but the callback itself]
  public func removeSource() { core.source.detach() }
}
