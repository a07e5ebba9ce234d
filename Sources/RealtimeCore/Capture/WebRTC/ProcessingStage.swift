internal import CAudioProcessing
internal import CRealtime

/// One processor of the library as a stage of the capture chain: it always runs, and its output is crossfaded with its delay-matched input,
/// so that switching it neither clicks nor loses what it has learnt (L7, V2). [realtime] except `init` and `deinit`.
struct ProcessingStage: ~Copyable {
  /// The delay of the output in frames, wet or dry.
  let delay: Int
  private let block: Int
  private let processor: OpaquePointer
  private var dry: BlockDelay
  private var fade: Crossfade
  /// The processor's own output for the last block, whether heard or not.
  let wet: Samples

  /// - Throws: `CapturePathError.libraryRefused`.
  init(_ library: WebRTCLibrary, _ kind: nearend_processor_kind, block: Int) throws(CapturePathError) {
    let delay = try StageDelay.measured(library, kind, block: block)
    processor = try library.makeProcessor(kind, block: block)
    self.delay = delay
    self.block = block
    dry = BlockDelay(longest: delay, block: block)
    fade = Crossfade(frames: block, weight: 1)
    wet = Samples(block)
  }

  deinit { nearend_processor_destroy(processor) }

  /// Analyses one block of the far end, before the microphone's block. Returns false if the library refuses it.
  @_noLocks @_noAllocation
  mutating func analyze(reference: UnsafePointer<Float>) -> Bool { nearend_processor_analyze_reference(processor, reference) == 0 }

  /// Tells the canceller whether anybody but the far end is heard. Returns false if the library refuses it.
  @_noLocks @_noAllocation
  mutating func expect(onlyEcho: Bool) -> Bool { nearend_processor_expect_only_echo(processor, onlyEcho) == 0 }

  /// Processes one block in place. Returns false if the library refuses it: the block then passes unprocessed, with the same delay.
  @_noLocks @_noAllocation
  mutating func process(_ samples: UnsafeMutablePointer<Float>, isOn: Bool) -> Bool {
    let isProcessed = nearend_processor_process(processor, samples, wet.start) == 0
    dry.push(samples)
    let matched = dry.late(by: delay)
    if !isProcessed { copy(matched, to: wet.start, frames: block) }
    fade.blend(wet: wet.start, dry: matched, into: samples, frames: block, isOn: isOn)
    return isProcessed
  }
}
