internal import CRealtime

/// Measures the drift between the clocks of loudspeaker and microphone: the shift of a filter's response in a quarter of a second, by
/// generalized cross-correlation in the frequency domain (Knapp and Carter, IEEE Trans. ASSP-24, 1976). Own combination over partitions
/// and sides.
///
/// The filter learns what has shifted in a pause of the far end within half a second after it. Only then is its response compared with the
/// one before the pause, and the shift divided by all the time between. Divided by a quarter of a second, it would be overcorrected, the
/// further the longer the pause.
///
/// Cost: every quarter of a second, 24 correlations over 328 bins. [realtime] except `init` and `deinit`.
struct DriftTracker: ~Copyable {
  private let layout: FilterLayout
  private let tuning: Tuning.DriftTracker
  /// Hops from one measurement to the next.
  private let interval: Int
  private let firstBin = 12
  /// Bins compared, a multiple of 8.
  private let count: Int
  /// The responses at the last measurement, by side, partition and bin, and the normalized product of the present one with it.
  private let former, phase: Spectrum
  /// Steps of a shift by which the first bin's phase turns once, and the cosines of one turn.
  private let turn: Int
  private let cosines: Samples
  /// Sides of the former response, 0 without one.
  private var formerSides = 0
  /// The hops at which the former response was measured, and at which the next one is to be.
  private var formerHop = 0
  private var nextHop = 0
  /// The last hop in which the filter did not rest.
  private var lastHop = 0
  /// Number of bins with an audible echo.
  private var heard = 0

  /// Steps of a shift per hop, at any rate: at 48 kHz a step is a tenth of a sample.
  private static var stepsPerHop: Int {
    @_noLocks @_noAllocation get { 2_560 }
  }
  /// Largest shift that is tried, in steps: somewhat more than the largest rate moves the response in `interval`.
  private let furthest: Int
  init(layout: FilterLayout, tuning: Tuning.DriftTracker = .standard) {
    self.layout = layout
    self.tuning = tuning
    interval = layout.hops(tuning.interval)
    count = (min(340, layout.bins) - 12) / 8 * 8
    former = Spectrum(2 * layout.fastPartitions * count)
    phase = Spectrum(count)
    furthest = 5 * Int((tuning.reach * tuning.largest * Double(interval * Self.stepsPerHop) / 5).rounded(.up))
    turn = layout.transform / layout.hop * Self.stepsPerHop
    cosines = Samples(turn)
    for i in 0..<turn { cosines[i] = rt_cosf(2 * .pi * Float(i) / Float(turn)) }
  }

  /// Discards the former response, unless only a gap was heard: the filter was reset, or its window moved.
  @_noLocks @_noAllocation
  mutating func lose(_ loss: Loss) {
    if case .history = loss { return }
    formerSides = 0
  }

  /// Processes one hop. Tells a corrected rate after a successful measurement.
  ///
  /// - Parameters:
  ///   - rate: the drift compensated at present, in frames per frame.
  ///   - now: the number of this hop; those in which the filter rests are left out.
  @_noLocks @_noAllocation
  mutating func observe(_ filter: borrowing KalmanFilter, rate: Double, at now: Int) -> PathNews? {
    if now - lastHop > interval { nextHop = now + 2 * interval }
    lastHop = now
    guard now >= nextHop else { return nil }
    nextHop = now + interval
    let elapsed = now - formerHop
    formerHop = now
    defer { remember(filter) }
    guard formerSides > 0, compare(filter) else { return nil }
    // The maximum is some sixty steps wide: searches every fifth step, then every step, then interpolates.
    var best = 0, highest = -Float.infinity
    find(stride(from: -furthest, through: furthest, by: 5), &best, &highest)
    find(stride(from: best - 4, through: best + 4, by: 1), &best, &highest)
    guard highest > tuning.certain, abs(best) < furthest else { return nil }
    let below = likeness(best - 1), above = likeness(best + 1)
    let moved = Double(best) + 0.5 * Double((below - above) / (below - 2 * highest + above - 1e-9))
    return .drift(min(max(rate + tuning.gain * moved / Double(elapsed * Self.stepsPerHop), -tuning.largest), tuning.largest))
  }

  /// Updates the best of the shifts, and its correlation.
  @_noLocks @_noAllocation
  private func find(_ shifts: StrideThrough<Int>, _ best: inout Int, _ highest: inout Float) {
    for shift in shifts {
      let value = likeness(shift)
      if value > highest { (best, highest) = (shift, value) }
    }
  }

  /// Returns the normalized correlation of the response with the former one, shifted by `shift` steps, averaged over bins.
  @_noLocks @_noAllocation
  private func likeness(_ shift: Int) -> Float {
    // The phasors of eight bins, turned from one eight to the next.
    var c = SIMD8<Float>.zero, s = SIMD8<Float>.zero, sum = SIMD8<Float>.zero
    for lane in 0..<8 { (c[lane], s[lane]) = phasor((firstBin + lane) * shift) }
    let turned = phasor(8 * shift)
    for j in stride(from: 0, to: count, by: 8) {
      sum += load8(phase.re + j) * c
      sum -= load8(phase.im + j) * s
      let next: SIMD8<Float> = c * turned.cosine - s * turned.sine
      s = s * turned.cosine + c * turned.sine
      c = next
    }
    return sum.sum() / Float(heard)
  }

  /// Returns the cosine and the sine of an angle in steps.
  @_noLocks @_noAllocation
  private func phasor(_ steps: Int) -> (cosine: Float, sine: Float) {
    let index = steps % turn < 0 ? steps % turn + turn : steps % turn, quarter = turn / 4
    return (cosines[index], cosines[index >= quarter ? index - quarter : index + turn - quarter])
  }

  /// Computes the normalized product of the response and the conjugate of the former one in bins with an audible echo: elsewhere the
  /// response is learnt from noise. Returns false if it has hardly changed, or such bins are too few.
  @_noLocks @_noAllocation
  private mutating func compare(_ filter: borrowing KalmanFilter) -> Bool {
    var difference = SIMD8<Float>.zero, energy = SIMD8<Float>.zero, audible = SIMD8<Float>.zero
    let sides = min(filter.sides, formerSides)
    for j in stride(from: 0, to: count, by: 8) {
      var re = SIMD8<Float>.zero, im = SIMD8<Float>.zero
      var power = SIMD8<Float>.zero, formerPower = SIMD8<Float>.zero, leftPower = SIMD8<Float>.zero
      for partition in 0..<sides * layout.fastPartitions {
        if partition == layout.fastPartitions { leftPower = power }
        let row = row(partition, of: filter) + firstBin + j, i = partition * count + j
        let nRe = load8(row), nIm = load8(row + layout.bins), fRe = load8(former.re + i), fIm = load8(former.im + i)
        let dRe = nRe - fRe, dIm = nIm - fIm
        re += nRe * fRe + nIm * fIm
        im += nIm * fRe - nRe * fIm
        power += nRe * nRe + nIm * nIm
        formerPower += fRe * fRe + fIm * fIm
        difference += dRe * dRe + dIm * dIm
      }
      energy += power
      if sides == 1 { leftPower = power }
      let isHeard = filter.hears(firstBin + j, left: leftPower, right: power - leftPower)
      let ones = SIMD8<Float>.zero.replacing(with: SIMD8(repeating: 1), where: isHeard)
      let product: SIMD8<Float> = power * formerPower
      var scale = SIMD8<Float>.zero
      for lane in 0..<8 where isHeard[lane] { scale[lane] = 1 / (rt_sqrtf(product[lane]) + 1e-12) }
      audible += ones
      store8(re * scale, to: phase.re + j)
      store8(im * scale, to: phase.im + j)
    }
    heard = Int(audible.sum())
    return difference.sum() > tuning.moved * energy.sum() && heard >= tuning.fewest
  }

  @_noLocks @_noAllocation
  private mutating func remember(_ filter: borrowing KalmanFilter) {
    formerSides = filter.sides
    for partition in 0..<formerSides * layout.fastPartitions {
      let row = row(partition, of: filter) + firstBin
      copy(row, to: former.re + partition * count, frames: count)
      copy(row + layout.bins, to: former.im + partition * count, frames: count)
    }
  }

  /// Returns the weights of a partition, counted through both sides.
  @_noLocks @_noAllocation
  private func row(_ partition: Int, of filter: borrowing KalmanFilter) -> UnsafePointer<Float> {
    filter.row(partition / layout.fastPartitions * layout.partitions + partition % layout.fastPartitions)
  }
}
