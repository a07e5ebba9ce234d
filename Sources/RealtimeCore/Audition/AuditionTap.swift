import Foundation
import Synchronization

/// Records some seconds of microphone and voice, in memory only, and plays them to the speaker, so that people hear how others hear them:
/// the control side. What others hear is `CaptureControls.isAuditioned`.
///
///     microphone ─────────────────────▶ tape ─┐
///     voice, before the mute, later by ▶ tape ─┴─▶ + ─▶ speaker
///     the path's latency                    call ─┘
///
/// A tape is allocated whole before it is published, and freed once no cycle can hold it.
// `@unchecked Sendable`: the tape's address is guarded by a lock that the audio thread never takes; everything else is atomic or immutable.
package final class AuditionTap: @unchecked Sendable {
  let cells: AuditionCells
  private let memory: CellBlock
  private let lock = Mutex(())
  private var tape: UnsafeMutablePointer<AuditionTape>?

  init() {
    var memory = CellBlock()
    cells = AuditionCells(&memory)
    self.memory = memory
  }

  /// The audio thread must have stopped for good.
  deinit { if let tape { _ = Owned(adopting: tape) } }

  /// Records from the next cycle on at which the voice is processed. Ends what was before. [control]
  /// - Parameters:
  ///   - seconds: above 0.
  ///   - rate: the graph's, in Hz; cycles of another rate do not count.
  ///   - stageLatency: frames that the program's own stages add to the voice.
  ///   - voiceGain: the linear gain at which others hear the voice.
  package func record(seconds: Double, rate: Int, stageLatency: Int = 0, voiceGain: Float = 1) {
    end()
    let count = max(1, Int(seconds * Double(rate)))
    let new = Owned(
      AuditionTape(count: count, rate: rate, stageLatency: max(0, stageLatency), voiceGain: voiceGain, cells: cells)
    ).release()
    cells.recorded.store(0)
    cells.played.store(0)
    cells.isRecording.store(true)
    lock.withLock { _ in
      tape = new
      cells.tape.storeSequential(UInt64(UInt(bitPattern: new)))
    }
  }

  /// Plays a track from its beginning to its end; nil falls silent within 10 ms. [control]
  package func play(_ track: AuditionTrack?) {
    cells.isRecording.store(false)
    cells.wantedTrack.store(track?.code ?? 0)
  }

  /// Frames recorded so far, and whether that is all. [any]
  package var recorded: (frames: Int, isComplete: Bool) {
    let frames = Int(cells.recorded.loadAcquire())
    return lock.withLock { _ in (frames, tape.map { frames >= $0.pointee.count } ?? false) }
  }

  /// Returns whether a track has been played to its end. [any]
  package func hasPlayed(_ track: AuditionTrack) -> Bool {
    let played = cells.played.load()
    return lock.withLock { _ in
      played >> 32 == track.code && tape.map { played & 0xffff_ffff >= UInt64($0.pointee.count) } ?? false
    }
  }

  /// Linear peaks of what is recorded, following `MeterBallistics`. [any]
  package var peaks: (microphone: Float, voice: Float) { (cells.microphonePeak.load(), cells.voicePeak.load()) }

  /// Reads what has been recorded; nil unless that is complete. [control]
  package func measure<Result: Sendable>(
    _ body: (_ microphone: UnsafeBufferPointer<Float>, _ voice: UnsafeBufferPointer<Float>, _ rate: Int) -> Result
  ) -> Result? {
    guard recorded.isComplete else { return nil }
    return lock.withLock { _ in
      guard let tape else { return nil }
      return tape.pointee.withTrack(.microphone) { microphone in
        tape.pointee.withTrack(.voice) { body(microphone, $0, tape.pointee.rate) }
      }
    }
  }

  /// Whether memory is held for a recording. [any]
  package var holdsRecording: Bool { lock.withLock { _ in tape != nil } }

  /// Ends recording and playback, and frees the recording. Waits for a cycle in progress, which is short. [control]
  package func end() {
    cells.isRecording.store(false)
    cells.wantedTrack.store(0)
    cells.microphonePeak.store(0)
    cells.voicePeak.store(0)
    let old = lock.withLock { _ in
      defer { tape = nil }
      cells.tape.storeSequential(0)
      return tape
    }
    guard let old else { return }
    let ticket = cells.cycle.ticket()
    while !cells.cycle.isOver(ticket) { usleep(50) }
    _ = Owned(adopting: old)
  }
}
