/// Reads PCM from a ring and converts it to the graph's rate. [realtime] except `init`
struct RingFeed: ~Copyable {
  private let fifo: FrameFIFO
  private let cells: RingSinkCells
  private let channelCount: Int
  private let isFloat: Bool
  private var resampler: RingResampler
  /// Frames of silence still to be pushed through the resampler to flush the sink's last frames.
  private var flush = 0

  /// Allocates what the sink needs. [control]
  init(format: SinkFormat, fifo: FrameFIFO, cells: RingSinkCells) {
    resampler = RingResampler(channelCount: format.channelCount)
    self.fifo = fifo
    self.cells = cells
    channelCount = format.channelCount
    isFloat = format.sampleType == .float32
  }

  /// Clears the filter's memory, and starts at `step` sink frames per graph frame.
  @_noLocks @_noAllocation
  mutating func begin(step: Double) {
    resampler.reset(step: step)
    flush = resampler.reach
  }

  /// Makes up to `frames` frames from `step` sink frames each; fewer if the ring ran dry. Returns how many.
  @_noLocks @_noAllocation
  mutating func make(_ frames: Int, step: Double, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>) -> Int {
    resampler.steer(step: step)
    var done = 0
    while true {
      done += resampler.make(frames - done, left: left + done, right: right + done)
      if done == frames { break }
      // No more than this cycle uses: audio inside the resampler would be missing from the fill.
      let wanted = max(1, min(resampler.missing(for: frames - done), resampler.room))
      let run = fifo.front(limit: wanted)
      if run.frames > 0 {
        read(run.start, frames: run.frames)
        resampler.push(run.frames)
        fifo.advance(run.frames)
        cells.framesRead.add(UInt64(run.frames))
      } else {
        if flush == 0 || cells.hasEnded.loadAcquire() == 0 { break }
        let silent = min(flush, wanted)
        for channel in 0..<channelCount { clear(resampler.end(channel), frames: silent) }
        resampler.push(silent)
        flush -= silent
      }
    }
    return done
  }

  /// Passes frames to the resampler, with silence for NaN, infinite and huge samples, which would linger in its filter.
  @_noLocks @_noAllocation
  private func read(_ start: UnsafeRawPointer, frames: Int) {
    for channel in 0..<channelCount {
      let (target, stride) = (resampler.end(channel), channelCount)
      if isFloat {
        let samples = start.assumingMemoryBound(to: Float.self) + channel
        for i in 0..<frames { target[i] = abs(samples[i &* stride]) <= 8 ? samples[i &* stride] : 0 }
      } else {
        let samples = start.assumingMemoryBound(to: Int16.self) + channel
        for i in 0..<frames { target[i] = Float(samples[i &* stride]) * (1 / 32_768) }
      }
    }
  }
}
