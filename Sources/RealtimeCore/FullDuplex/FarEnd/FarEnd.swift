/// What the loudspeaker plays, conditioned for the filters.
///
///     left, right ─▶ drift resampler ─▶ loudspeaker, + saturation ─▶ spectra
///
/// `take` a hop, `read` one (or two, or none, as the clocks drift), and `advance`. Own arrangement; each stage names its source. Delay:
/// `delay`, 24 frames. Cost: that of its stages; none while the far end is silent. [realtime] except `init` and `deinit`.
struct FarEnd: ~Copyable {
  /// Initial delay in frames.
  let delay: Int
  /// Mean square of the newest hop of the louder side.
  private(set) var power: Float = 0
  private(set) var level: ReferenceLevel
  private(set) var loudspeaker: LoudspeakerModel
  private(set) var spectra: ReferenceSpectra
  /// How fast the far end is read, and how late.
  private(set) var resampler: DriftResampler

  private let hop: Int
  private let tuning: Tuning.ReferenceSpectra
  /// The newest hop as the loudspeaker plays it: left, right, and what saturation adds.
  private let near, other, excess: Samples
  /// Consecutive silent hops.
  private var quietHops = 0

  /// Hops in the resampler's history.
  private static var resamplerHops: Int {
    @_noLocks @_noAllocation get { 4 }
  }

  /// - Parameter transform: of `layout.transform` samples.
  init(layout: FilterLayout, tuning: Tuning = .standard, transform: borrowing FourierTransform) {
    hop = layout.hop
    self.tuning = tuning.referenceSpectra
    let resampler = DriftResampler(hop: layout.hop)
    delay = Int(resampler.delay)
    self.resampler = resampler
    level = ReferenceLevel(layout: layout, tuning: tuning.referenceLevel)
    loudspeaker = LoudspeakerModel(layout: layout, tuning: tuning, transform: transform)
    spectra = ReferenceSpectra(layout: layout, tuning: tuning, transform: transform)
    near = Samples(layout.hop)
    other = Samples(layout.hop)
    excess = Samples(layout.hop)
  }

  /// Mean square of the newest hop, normalized by `ReferenceLevel`.
  var normalizedPower: Float {
    @_noLocks @_noAllocation get { power * level.gain * level.gain }
  }

  /// Takes one hop of both sides, to be read.
  @_noLocks @_noAllocation
  mutating func take(left: UnsafePointer<Float>, right: UnsafePointer<Float>) {
    power = max(meanSquare(left, frames: hop), meanSquare(right, frames: hop))
    quietHops = power > tuning.silence ? 0 : quietHops + 1
    if let factor = level.update(power) { loudspeaker.rescale(by: factor) }
    resampler.feed(left: left, right: right, isSilent: power == 0)
  }

  /// Reads a hop into the spectra: resampled to the microphone's clock, and distorted as the loudspeaker does.
  @_noLocks @_noAllocation
  mutating func read() {
    if spectra.isSilent, quietHops > Self.resamplerHops {
      loudspeaker.lose(.history)
      return spectra.feedSilence()
    }
    resampler.read(into: near.start, channel: 0)
    if resampler.isMono {
      loudspeaker.distort(near.start, nil, saturation: excess.start)
      copy(near.start, to: other.start, frames: hop)
    } else {
      resampler.read(into: other.start, channel: 1)
      loudspeaker.distort(near.start, other.start, saturation: excess.start)
    }
    spectra.feed(left: near.start, right: other.start, excess: excess.start)
  }

  /// Ends the hop.
  @_noLocks @_noAllocation
  mutating func advance() { resampler.advance() }

  /// Adjusts the delay after `hops` more were read than taken (negative: fewer).
  @_noLocks @_noAllocation
  mutating func skip(hops: Int) { resampler.skip(hops: hops) }

  /// Delays what is read from now on, and the history, because the filters were moved towards earlier echoes: by a hop, of which one fewer
  /// is then to be read, or by fewer frames.
  @_noLocks @_noAllocation
  mutating func postpone(by frames: Int) {
    resampler.postpone(by: frames)
    if frames == hop { return }
    spectra.delay(by: frames)
    loudspeaker.lose(.history)
  }

  /// Follows the microphone's clock: `rate` is the growth of the delay in frames per frame.
  @_noLocks @_noAllocation
  mutating func follow(rate: Double) { resampler.rate = rate }

  /// Learns what the loudspeaker distorts, from a filter that has just learnt, whose window starts at `offset` hops.
  @_noLocks @_noAllocation
  mutating func learn(from filter: borrowing KalmanFilter, offset: Int) {
    loudspeaker.learn(from: filter, offset: offset, isStereo: spectra.isStereo)
  }

  @_noLocks @_noAllocation
  mutating func lose(_ loss: Loss) {
    loudspeaker.lose(loss)
    guard case .history = loss else { return }
    spectra.restart()
    quietHops = Self.resamplerHops + 1
  }
}
