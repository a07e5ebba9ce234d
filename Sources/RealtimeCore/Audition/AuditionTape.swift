/// A recording of microphone and voice, side by side, and what plays it back: memory of the audio thread, which an `AuditionTap` makes and
/// frees. [realtime] except `init` and `deinit`.
struct AuditionTape: ~Copyable {
  /// Frames of each track.
  let count: Int
  /// Frames per second; cycles of another rate neither record nor play.
  let rate: Int
  private let cells: AuditionCells
  private let microphone, voice: Samples
  private var microphoneCount = 0, voiceCount = 0
  /// Frames of the voice that precede the first one of the microphone, -1 until that one is recorded.
  private var early = -1
  private var microphonePeak: Float = 0, voicePeak: Float = 0
  /// Frames that the program's own stages add to the voice.
  private let stageLatency: Int
  /// The linear gain at which others hear the voice.
  private let voiceGain: Float

  /// The track that sounds, as the cell tells it.
  private var playing: UInt64 = 0
  private var position = 0
  private var gain: Float = 0
  private let left, right: Samples

  /// Allocates everything. [control]
  init(count: Int, rate: Int, stageLatency: Int, voiceGain: Float, cells: AuditionCells) {
    (self.count, self.rate, self.stageLatency, self.voiceGain, self.cells) = (count, rate, stageLatency, voiceGain, cells)
    microphone = Samples(count)
    voice = Samples(count)
    left = Samples(CoreState.maximumQuantum)
    right = Samples(CoreState.maximumQuantum)
  }

  /// Reads a track that has been recorded to its end. [control]
  func withTrack<Result>(_ track: AuditionTrack, _ body: (UnsafeBufferPointer<Float>) -> Result) -> Result {
    body(UnsafeBufferPointer(start: track == .microphone ? microphone.start : voice.start, count: count))
  }

  // MARK: Recording

  /// Appends one cycle until both tracks are full. `latency`: frames by which the voice is later than the microphone.
  @_noLocks @_noAllocation
  mutating func record(microphone input: UnsafePointer<Float>, voice output: UnsafePointer<Float>, frames: Int, rate: Int, latency: Int) {
    guard rate == self.rate, voiceCount < count, cells.isRecording.load() else { return }
    if early < 0 { early = latency + stageLatency }
    let fall = MeterBallistics.fall(frames: frames, rate: Double(rate))
    microphonePeak = max(peak(input, frames: frames), microphonePeak * fall)
    voicePeak = max(voiceGain * checkedPeak(output, frames: frames), voicePeak * fall)
    cells.microphonePeak.store(microphonePeak)
    cells.voicePeak.store(voicePeak)

    let heard = min(frames, count - microphoneCount)
    if heard > 0 { copy(input, to: microphone + microphoneCount, frames: heard) }
    microphoneCount += heard
    let skipped = min(frames, early)
    early -= skipped
    let processed = min(frames - skipped, count - voiceCount)
    if processed > 0 {
      copy(output + skipped, to: voice + voiceCount, frames: processed)
      scale(voice + voiceCount, by: voiceGain, frames: processed)
    }
    voiceCount += processed
    // The control side reads the tracks once this is `count`.
    cells.recorded.storeRelease(UInt64(voiceCount))
  }

  // MARK: Playing back

  /// Returns the call, with the track added that is to be heard.
  @_noLocks @_noAllocation
  mutating func play(into call: StereoInput, frames: Int, rate: Int) -> StereoInput {
    let wanted = cells.wantedTrack.load()
    guard rate == self.rate, playing != 0 || wanted != 0 else { return call }
    let (left, right) = (left.start, right.start)
    copy(call.left, offset: 0, to: left, frames: frames)
    copy(call.right, offset: 0, to: right, frames: frames)
    // 10 ms at both ends, and where it is ended early.
    let length = max(1, rate / 100), step = 1 / Float(length)
    for i in 0..<frames {
      if playing != wanted, gain == 0 { (playing, position) = (wanted, 0) }
      guard playing != 0, position < count else {
        gain = 0
        continue
      }
      let isHeard = playing == wanted && position + length < count
      gain = isHeard ? min(1, gain + step) : max(0, gain - step)
      let sample = (playing == AuditionTrack.microphoneCode ? microphone[position] : voice[position]) * gain
      left[i] += sample
      right[i] += sample
      position += 1
    }
    if playing == wanted { cells.played.store(wanted << 32 | UInt64(position)) }
    return StereoInput(left: UnsafePointer(left), right: UnsafePointer(right))
  }
}

/// What is recorded and played back. [any]
package enum AuditionTrack: Sendable, Equatable {
  case microphone, voice

  @inline(__always) static var microphoneCode: UInt64 { @_noLocks @_noAllocation get { 1 } }
  /// What a cell holds of it; 0 is none.
  var code: UInt64 { self == .microphone ? Self.microphoneCode : 2 }
}

/// What both sides tell each other of an audition.
struct AuditionCells: Sendable {
  /// Address of the `AuditionTape`; 0 without one.
  let tape: CounterCell
  let cycle: CycleGuard
  let isRecording: FlagCell
  /// Code of the track that is to be heard.
  let wantedTrack: CounterCell
  /// Set by the audio thread: frames that both tracks have.
  let recorded: CounterCell
  /// Set by the audio thread: the code of the track that sounds, and below it, in 32 bits, its frames so far.
  let played: CounterCell
  let microphonePeak, voicePeak: FloatCell

  init(_ block: inout CellBlock) {
    tape = CounterCell(block.next())
    cycle = CycleGuard(block.next())
    isRecording = FlagCell(block.next())
    wantedTrack = CounterCell(block.next())
    recorded = CounterCell(block.next())
    played = CounterCell(block.next())
    microphonePeak = FloatCell(block.next())
    voicePeak = FloatCell(block.next())
  }

  /// Begins a cycle, in which the tape stays valid until `cycle.leave()`. [realtime]
  @_noLocks @_noAllocation
  func enter() -> UnsafeMutablePointer<AuditionTape>? {
    cycle.enter()
    // Pairs with the stores in AuditionTap.record and end, inside the cycle's guard.
    return UnsafeMutablePointer(bitPattern: UInt(tape.loadSequential()))
  }
}
