internal import CKernels
internal import CRealtime

/// Estimates the echo path as the state of a partitioned-block frequency-domain Kalman filter with diagonal covariances (Enzner and Vary,
/// Signal Processing 86, 2006; Kuech, Mabande and Enzner, ICASSP 2014), with overlapping error windows; λ is own. [realtime] except `init`
/// and `deinit`.
///
///     Y = Σ X W;   e = d − y, the newest `window` samples;   E = F{0, e}
///     U = window / transform · Σ |X|² P;   D = U + overcount · S,   S: |E|², smoothed over bins and time
///     W ← W + λ P / D X* E;   P ← (1 − λ q)(1 − λ shift / transform · |X|² P / D) P + λ q V,   V = (|W|² + its mean over bins) / 2
///     λ = x min(1, ((U + window / transform · |Y|²) / N)²),   x: `Excitation.byBin`,   N: running minimum of S, +5 dB/s at most
///     shift: frames per learning step;   q, overcount: of `Tuning`
///
/// `P` is the variance of `W`, so `U` is the expected power of the residual echo. In bins where no echo is audible over the noise, λ is
/// near 0: otherwise noise, or the comfort noise of a pausing far end, would make the filter unlearn the path.
///
/// A partial filter has weights for the two sides' first partitions only. The rest of the echo, and its uncertainty, it takes from the
/// whole filter, which is processed first.
///
/// Cost: an inverse transform a hop; a forward one, and two for each row that is constrained, a learning step.
struct KalmanFilter: ~Copyable {
  /// Parameters that trade speed of tracking for robustness.
  struct Tuning: Sendable {
    /// q: the share of the path's power that is expected to change per learning step, 0…1.
    var processNoise: Float
    /// Factor by which overlapping error windows count each sample's noise more than once.
    var overcount: Float
    /// Bins to either side of each over which the noise is smoothed, at most 8.
    var smoothedBins: Int
    /// Smoothing constant of the noise estimate: the share that remains per learning step, 0…1.
    var smoothing: Float
    /// Hops per learning step; the echo is estimated every hop.
    var period: Int
    /// Learning steps per round of gradient constraints.
    var constraintTurns: Int
    /// A Boolean value indicating whether the filter has weights for the first partitions only, and takes the rest of the echo from a
    /// whole filter.
    var isPartial: Bool
    /// A Boolean value indicating whether the strongest tap is tracked, for `peak`.
    var watchesPeak: Bool
    /// Decay per learning step of a row's peak mean square, and the share of that peak below which its mean square never falls.
    var holding: Float
    var heldShare: Float

    /// Tracks a moving path.
    static let fast = Tuning(
      processNoise: 2e-3, overcount: 1, smoothedBins: 5, smoothing: 0.7, period: 1, constraintTurns: 32, isPartial: true,
      watchesPeak: false, holding: 0.9999, heldShare: 0.1)
    /// Robust against near-end speech.
    static let careful = Tuning(
      processNoise: 8e-5, overcount: 1.4, smoothedBins: 2, smoothing: 0.3, period: 2, constraintTurns: 16, isPartial: false,
      watchesPeak: true, holding: 0.9998, heldShare: 0.1)

    /// Returns what has the same effect in a second of the layout's hops as this has in one of hops of 256 frames at 48 kHz.
    func adapted(to layout: FilterLayout) -> Tuning {
      var adapted = self
      adapted.processNoise = 1 - layout.perHop(1 - processNoise)
      adapted.smoothing = layout.perHop(smoothing)
      adapted.holding = layout.perHop(holding)
      return adapted
    }
  }

  let layout: FilterLayout
  let tuning: Tuning
  /// Minimum of a row's mean square, as a share of its channel's highest: a changed path may reach any partition.
  private let leastShare: Float = 0.03
  /// After `doubt()`, the minimum variance as a share of the prior.
  let doubtedShare: Float = 0.3
  let transform: FourierTransform
  /// Rows by channel and partition, each of real parts, imaginary parts and variances.
  let weights: UnsafeMutablePointer<Float>
  let meanSquares: UnsafeMutablePointer<Float>
  /// Peak of each row's mean square, decaying by `holding`: the power that the path may regain.
  let heldSquares: UnsafeMutablePointer<Float>
  /// Bins used of each row, 0 if there is nothing to predict; those of the rows that a partial filter has, and of all others.
  let binsOfRow, binsOfFirstRows, binsOfOtherRows: UnsafeMutablePointer<Int32>
  /// The echo that the rows missing in a partial filter predict, and its uncertainty, Σ |X|² P.
  let rest: SplitSpectrum
  let restUncertainty: UnsafeMutablePointer<Float>
  private let references: UnsafeMutablePointer<UnsafePointer<Float>>
  /// `Excitation.byBin` of the reference.
  private var excitation: UnsafePointer<Float>
  /// U of the last hop.
  let uncertainty: UnsafeMutablePointer<Float>
  /// The noise S of the formulas above, by bin.
  private let noise: UnsafeMutablePointer<Float>
  /// The noise floor N of the formulas above, by bin.
  private let floor: UnsafeMutablePointer<Float>
  /// λ q.
  private let change: UnsafeMutablePointer<Float>
  /// λ / D of the last learning step.
  let inverse: UnsafeMutablePointer<Float>
  /// |E|² of the last learning step, by bin.
  private let squares: UnsafeMutablePointer<Float>
  /// Y of the last hop, until weights are constrained; then scratch memory.
  let work: SplitSpectrum
  /// E of the last hop.
  let error: SplitSpectrum
  let time, scratch, following: UnsafeMutablePointer<Float>
  private let errorWindow: UnsafeMutablePointer<Float>
  /// By row of the two sides: the magnitude of the strongest tap, and its index.
  let peakLevels, peakTaps: UnsafeMutablePointer<Float>
  /// |X|² of the two sides, averaged over 200 learning steps, one to two seconds. In mono the second one is not used.
  let referencePower: UnsafeMutablePointer<Float>
  private var hops = 0
  /// A Boolean value indicating whether the newest estimate is 0, because the microphone was passed through.
  private(set) var isPassing = false
  /// Bins of the widest row.
  private var activeBins = 0
  /// A Boolean value indicating whether the rows of the second channel are in use.
  private var wasStereo = false
  /// Σ U and window / transform · Σ |Y|², smoothed over some hops.
  private var expectedPower: Float = 1
  private var echoPower: Float = 0
  /// Σ |E|², smoothed over some learning steps.
  private(set) var errorPower: Float = 0
  /// Σ λ Re(Y* E) / D, and window / transform · Σ λ |Y|² / D, its expected variance; both over the last few learning steps.
  private var misfit: Float = 0
  private var information: Float = 0
  /// Factor by which N may rise per learning step.
  private let rise: Float
  /// What remains per hop of `expectedPower`; per learning step of `errorPower`, and of `misfit`.
  private let powerMemory, errorMemory, misfitMemory: Float
  /// What remains per learning step of the reference's mean power.
  private let referenceMemory: Float
  /// window / transform.
  private let windowShare: Float
  let rows: Int
  let rowSize: Int
  /// Factor of the prior variances since the last `forget()`.
  private(set) var priorScale: Float = 1

  /// - Parameter transform: of `layout.transform` samples.
  init(layout: FilterLayout, tuning: Tuning, transform: borrowing FourierTransform) {
    self.layout = layout
    self.tuning = tuning.adapted(to: layout)
    self.transform = FourierTransform(sharing: transform)
    rows = ReferenceSpectra.channels * layout.partitions
    rowSize = 3 * layout.bins
    weights = .silence(rows * rowSize)
    meanSquares = .silence(rows)
    heldSquares = .silence(rows)
    binsOfRow = .allocate(capacity: rows)
    binsOfRow.initialize(repeating: 0, count: rows)
    binsOfFirstRows = .allocate(capacity: rows)
    binsOfFirstRows.initialize(repeating: 0, count: rows)
    binsOfOtherRows = .allocate(capacity: rows)
    binsOfOtherRows.initialize(repeating: 0, count: rows)
    rest = .silence(layout.bins)
    restUncertainty = .silence(layout.bins)
    uncertainty = .silence(layout.binsAndMargin)
    references = .allocate(capacity: rows)
    references.initialize(repeating: UnsafePointer(uncertainty), count: rows)
    excitation = UnsafePointer(uncertainty)
    noise = .silence(layout.bins)
    floor = .silence(layout.bins)
    for k in 0..<layout.bins { floor[k] = .greatestFiniteMagnitude }
    change = .silence(layout.bins)
    windowShare = Float(layout.window) / Float(layout.transform)
    rise = rt_powf(3, Float(tuning.period * layout.hop) / Float(layout.rate))
    (powerMemory, errorMemory, misfitMemory) = (layout.perHop(0.8), layout.perHop(0.7), layout.perHop(0.5))
    referenceMemory = layout.perHop(0.995)
    inverse = .silence(layout.bins)
    squares = .silence(layout.allBins + 16) + 8
    work = .silence(layout.allBins)
    error = .silence(layout.allBins)
    time = .silence(layout.transform)
    scratch = .silence(layout.transform)
    following = .silence(layout.transform)
    errorWindow = .silence(layout.transform)
    peakLevels = .silence(2 * layout.partitions)
    peakTaps = .silence(2 * layout.partitions)
    referencePower = .silence(2 * layout.bins)
    // Swift 6.0 does not let an initializer of a noncopyable structure call a mutating method, such as `forget()`.
    for row in 0..<rows { forget(row: row) }
  }

  deinit {
    for array in [
      weights, meanSquares, heldSquares, uncertainty, noise, floor, change, inverse, squares - 8, time, scratch, following, errorWindow,
      peakLevels, peakTaps, referencePower,
    ] { array.deallocate() }
    binsOfRow.deallocate()
    binsOfFirstRows.deallocate()
    binsOfOtherRows.deallocate()
    rest.deallocate()
    restUncertainty.deallocate()
    references.deallocate()
    work.deallocate()
    error.deallocate()
  }

  /// The newest hop of the echo's estimate.
  var echo: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { UnsafePointer(time + layout.transform - layout.hop) }
  }
  /// The newest hop of the error.
  var residual: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { UnsafePointer(errorWindow + layout.transform - layout.hop) }
  }

  /// Sides of the far end whose rows are in use: 1 in mono.
  var sides: Int {
    @_noLocks @_noAllocation get { wasStereo ? 2 : 1 }
  }

  /// A Boolean value indicating whether, after this hop, it is time for the estimators that learn from this filter: once every
  /// `partitionHops` hops.
  var isDue: Bool {
    @_noLocks @_noAllocation get { hops % layout.partitionHops == 0 }
  }

  /// A Boolean value indicating whether `error` is of this hop.
  var hasLearnt: Bool {
    @_noLocks @_noAllocation get { hops % tuning.period == 0 }
  }

  /// Estimates the echo in the newest `window` samples of the microphone, once a hop.
  ///
  /// - Parameter offset: age in hops of the reference at the first partition.
  @_noLocks @_noAllocation
  mutating func predict(_ reference: borrowing ReferenceSpectra, offset: Int) {
    findReferences(reference, offset: offset)
    clear(rest.re, frames: layout.bins)
    clear(rest.im, frames: layout.bins)
    clear(restUncertainty, frames: layout.bins)
    var others = partitions(bins: binsOfOtherRows)
    nearend_kalman_predict(&others, rest.re, rest.im, restUncertainty)
    predict(beyond: rest, restUncertainty)
  }

  /// Estimates the echo of a partial filter, after the whole one, from which it takes the rest of the echo.
  @_noLocks @_noAllocation
  mutating func predict(_ reference: borrowing ReferenceSpectra, offset: Int, beyond whole: borrowing KalmanFilter) {
    findReferences(reference, offset: offset)
    predict(beyond: whole.rest, whole.restUncertainty)
  }

  /// Subtracts the estimate of this hop from the microphone, its newest `window` samples, and adapts to the error if `learns`.
  @_noLocks @_noAllocation
  mutating func adapt(to microphone: UnsafePointer<Float>, learns: Bool) {
    let start = layout.transform - layout.window
    for i in stride(from: 0, to: layout.window, by: 8) {
      store8(load8(microphone + i) - load8(time + start + i), to: errorWindow + start + i)
    }
    hops += 1
    if !learns || !hasLearnt { return }
    // The noise of the last bins is smoothed over their neighbours.
    transform.forward(errorWindow, re: error.re, im: error.im, bins: activeBins + 8)
    learn()
    constrain((hops / tuning.period) % tuning.constraintTurns)
  }

  /// Σ U of the newest `predict`, not smoothed: in the units of `errorPower`.
  var expectedNow: Float {
    @_noLocks @_noAllocation get {
      var sum = SIMD8<Float>(repeating: 1e-12)
      for k in stride(from: 0, to: activeBins, by: 8) { sum += load8(uncertainty + k) }
      return sum.sum()
    }
  }

  /// Computes U plus the power of the newest estimate times `factor`, by bin, right after `predict`.
  @_noLocks @_noAllocation
  func addEchoPower(to power: UnsafeMutablePointer<Float>, factor: Float) {
    let scale = factor * windowShare
    for k in stride(from: 0, to: activeBins, by: 8) {
      let re = load8(work.re + k), im = load8(work.im + k)
      store8(load8(uncertainty + k) + scale * (re * re + im * im), to: power + k)
    }
    copy(uncertainty + activeBins, to: power + activeBins, frames: layout.bins - activeBins)
  }

  /// A Boolean value indicating whether the estimated echo has more power than its expected error.
  var isConfident: Bool {
    @_noLocks @_noAllocation get { expectedPower < echoPower }
  }

  /// A Boolean value indicating whether it has three times as much: a filter that has learnt that there is no echo may be confident, too.
  var isSure: Bool {
    @_noLocks @_noAllocation get { 3 * expectedPower < echoPower }
  }

  /// Ratio of the error's power to that of all echo that the filter expects: the estimate and its uncertainty. Far above 1 if something
  /// else is heard: the near end, or an echo that the filter does not know.
  var surprise: Float {
    @_noLocks @_noAllocation get { errorPower / (expectedPower + echoPower + 1e-12) }
  }

  /// A Boolean value indicating whether the error correlates negatively with the estimate, by more than two standard deviations: a smaller
  /// estimate would have left less. By chance, near-end speech does not for several hops in a row.
  var isEstimateTooLarge: Bool {
    @_noLocks @_noAllocation get { misfit < 0 && misfit * misfit > 4 * information }
  }

  /// Returns in which of eight bins from `bin` on echo paths of these powers, from the left and from the right, would be audible at the far
  /// end's mean level: above −10 dB of the noise.
  @_noLocks @_noAllocation
  func hears(_ bin: Int, left: SIMD8<Float>, right: SIMD8<Float>) -> SIMDMask<SIMD8<Int32>> {
    let fromLeft: SIMD8<Float> = load8(referencePower + bin) * left
    let fromRight: SIMD8<Float> = load8(referencePower + layout.bins + bin) * right
    let audible: SIMD8<Float> = 0.1 * load8(noise + bin)
    return windowShare * (fromLeft + fromRight) .> audible
  }

  /// Returns the tap of the largest weight, counted from the window's start, as of its partition's last constraint; −1 if unknown.
  @_noLocks @_noAllocation
  func peak() -> Int {
    var best = -1, highest: Float = 0
    for row in 0..<2 * layout.partitions where peakLevels[row] > highest { (best, highest) = (row, peakLevels[row]) }
    return best < 0 ? -1 : best % layout.partitions * layout.partitionHops * layout.hop + Int(peakTaps[best])
  }

  /// A Boolean value indicating whether the strongest tap is in the last partition.
  var peaksAtTheEnd: Bool {
    @_noLocks @_noAllocation get { peak() >= (layout.partitions - 1) * layout.partitionHops * layout.hop }
  }

  /// Returns how many leading partitions carry less than 3 % of the echo's power, minus one, by which the window could start later; 0 if at
  /// most 5, without confidence, or in stereo.
  @_noLocks @_noAllocation
  func idlePartitions() -> Int {
    guard isConfident, binsOfRow[layout.partitions] == 0 else { return 0 }
    var all: Float = 0, early: Float = 0, idle = 0
    for partition in 0..<layout.partitions { all += heardPower(of: partition) }
    while idle < layout.partitions {
      early += heardPower(of: idle)
      if early > 0.03 * all { break }
      idle += 1
    }
    return idle > 5 ? idle - 1 : 0
  }

  /// Returns the power of the echo that comes from a row of the two sides, weighted by its side's mean spectrum.
  @_noLocks @_noAllocation
  func heardPower(of row: Int) -> Float {
    let re = weights + row * rowSize, im = re + layout.bins, referencePower = referencePower(ofRow: row)
    var sum = SIMD8<Float>.zero
    for k in stride(from: 0, to: Int(binsOfRow[row]), by: 8) {
      let r = load8(re + k), i = load8(im + k)
      sum += load8(referencePower + k) * (r * r + i * i)
    }
    return sum.sum()
  }

  /// Returns the mean spectrum of the side to which a row belongs, by bin.
  @_noLocks @_noAllocation
  func referencePower(ofRow row: Int) -> UnsafePointer<Float> {
    UnsafePointer(referencePower + row / layout.partitions * layout.bins)
  }

  /// Estimates and learns nothing for one hop, because the far end was silent for the filter's whole reach, or the microphone is closed.
  @_noLocks @_noAllocation
  mutating func passThrough() {
    if isPassing { return }
    isPassing = true
    clear(time + (layout.transform - layout.hop), frames: layout.hop)
    clear(uncertainty, frames: layout.bins)
  }

  // MARK: The weights

  /// Resets the weights to 0, and the variances to the prior.
  @_noLocks @_noAllocation
  mutating func forget() {
    priorScale = 1
    for row in 0..<rows { forget(row: row) }
    (expectedPower, echoPower) = (1, 0)
  }

  @_noLocks @_noAllocation
  func forget(row: Int) {
    let base = weights + row * rowSize, variance = priorScale * Self.priorVariance(row, layout)
    for k in 0..<2 * layout.bins { base[k] = 0 }
    for k in 0..<layout.bins { base[2 * layout.bins + k] = variance }
    meanSquares[row] = 0
    if row < 2 * layout.partitions { peakLevels[row] = 0 }
  }

  /// Scales the variances right after `forget()`, because the echo is louder than the prior.
  @_noLocks @_noAllocation
  mutating func scalePrior(by factor: Float) {
    priorScale *= factor
    for row in 0..<rows {
      let variances = weights + row * rowSize + 2 * layout.bins
      for k in 0..<layout.bins { variances[k] *= factor }
    }
  }

  /// Returns the prior variance of a row: a loudspeaker as loud at the microphone as a talker, decaying by 0.2 dB in 10 ms; a third of it
  /// for saturation.
  @_noLocks @_noAllocation
  static func priorVariance(_ row: Int, _ layout: FilterLayout) -> Float {
    let seconds = Float(row % layout.partitions * layout.partitionHops * layout.hop) / Float(layout.rate)
    return (row < 2 * layout.partitions ? 0.15 : 0.05) * rt_powf(10, -2 * seconds)
  }

  /// Returns a row's weights: `bins` real parts, `bins` imaginary ones.
  @_noLocks @_noAllocation
  func row(_ row: Int) -> UnsafePointer<Float> { UnsafePointer(weights + row * rowSize) }

  // MARK: Steps

  /// Selects the bins of each row that have input; others are skipped.
  @_noLocks @_noAllocation
  private mutating func chooseBins(_ reference: borrowing ReferenceSpectra) {
    let speech = Int32(layout.speechBins), wide = reference.isWideBand ? Int32(layout.bins) : speech
    if activeBins == Int(wide), wasStereo == reference.isStereo { return }
    (activeBins, wasStereo) = (Int(wide), reference.isStereo)
    for partition in 0..<layout.partitions {
      let bins = partition < layout.wideBandPartitions ? wide : speech
      binsOfRow[partition] = bins
      binsOfRow[layout.partitions + partition] = reference.isStereo ? bins : 0
      binsOfRow[2 * layout.partitions + partition] = partition < layout.saturationPartitions ? speech : 0
    }
    for row in 0..<rows {
      let isFirst = row < 2 * layout.partitions && row % layout.partitions < layout.fastPartitions
      binsOfFirstRows[row] = isFirst ? binsOfRow[row] : 0
      binsOfOtherRows[row] = isFirst ? 0 : binsOfRow[row]
      if tuning.isPartial { binsOfRow[row] = binsOfFirstRows[row] }
    }
  }

  @_noLocks @_noAllocation
  private func partitions(bins: UnsafeMutablePointer<Int32>) -> nearend_partitions {
    nearend_partitions(
      references: UnsafePointer(references), weights: weights, bins: UnsafePointer(bins), meanSquares: meanSquares, count: Int32(rows),
      stride: Int32(layout.bins))
  }

  /// Finds the bins and the reference of each row.
  @_noLocks @_noAllocation
  private mutating func findReferences(_ reference: borrowing ReferenceSpectra, offset: Int) {
    chooseBins(reference)
    excitation = UnsafePointer(reference.excitation.byBin)
    for channel in 0..<ReferenceSpectra.channels {
      for partition in 0..<layout.partitions where binsOfRow[channel * layout.partitions + partition] > 0 {
        references[channel * layout.partitions + partition] = reference.spectrum(
          age: offset + partition * layout.partitionHops, channel: channel)
      }
    }
  }

  /// Estimates the echo and its uncertainty: what all other rows predict, and then the first ones.
  @_noLocks @_noAllocation
  private mutating func predict(beyond rest: SplitSpectrum, _ restUncertainty: UnsafePointer<Float>) {
    isPassing = false
    var first = partitions(bins: binsOfFirstRows)
    copy(rest.re, to: work.re, frames: layout.bins)
    copy(rest.im, to: work.im, frames: layout.bins)
    copy(restUncertainty, to: uncertainty, frames: layout.bins)
    nearend_kalman_predict(&first, work.re, work.im, uncertainty)
    clear(work.re + layout.bins, frames: layout.allBins - layout.bins)
    clear(work.im + layout.bins, frames: layout.allBins - layout.bins)
    transform.inverse(work, into: time)
    var expected = SIMD8<Float>.zero, estimated = SIMD8<Float>.zero
    for k in stride(from: 0, to: activeBins, by: 8) {
      let u = windowShare * load8(uncertainty + k), re = load8(work.re + k), im = load8(work.im + k)
      store8(u, to: uncertainty + k)
      expected += u
      estimated += re * re + im * im
    }
    expectedPower += (1 - powerMemory) * (expected.sum() - expectedPower)
    echoPower += (1 - powerMemory) * (estimated.sum() * windowShare - echoPower)
  }

  @_noLocks @_noAllocation
  private mutating func learn() {
    var step = nearend_learning(
      bins: Int32(activeBins), stride: Int32(layout.bins), reference: references[0],
      otherReference: wasStereo ? references[layout.partitions] : nil, errorRe: error.re, errorIm: error.im,
      echoRe: work.re, echoIm: work.im, uncertainty: uncertainty, excitation: excitation, referencePower: referencePower, noise: noise,
      floor: floor, squares: squares, inverse: inverse, change: change, width: Int32(tuning.smoothedBins), smoothing: tuning.smoothing,
      referenceMemory: referenceMemory, rise: rise, windowShare: windowShare, overcount: tuning.overcount, processNoise: tuning.processNoise
    )
    var errors: Float = 0, products: Float = 0, estimates: Float = 0
    nearend_kalman_learn(&step, &errors, &products, &estimates)
    errorPower += (1 - errorMemory) * (errors - errorPower)
    misfit = misfitMemory * misfit + products
    information = misfitMemory * information + windowShare * estimates
    // Without echo for long, as behind a muted microphone, the filter learns a path of 0, and its variance vanishes with it. The decaying
    // peak keeps it from vanishing.
    for row in 0..<rows {
      heldSquares[row] = max(meanSquares[row], heldSquares[row] * tuning.holding)
      meanSquares[row] = max(meanSquares[row], tuning.heldShare * heldSquares[row])
    }
    // The two sides only: saturation has its own rows.
    for channel in 0..<2 {
      let means = meanSquares + channel * layout.partitions
      var highest: Float = 0
      for partition in 0..<layout.partitions { highest = max(highest, means[partition]) }
      for partition in 0..<layout.partitions { means[partition] = max(means[partition], leastShare * highest) }
    }
    var partitions = partitions(bins: binsOfRow)
    let share = Float(tuning.period * layout.hop) / Float(layout.transform)
    nearend_kalman_update(&partitions, error.re, error.im, inverse, change, share)
  }

  /// Applies the gradient constraint to one of `constraintTurns` groups of partitions: clears the taps beyond a partition's length.
  @_noLocks @_noAllocation
  private mutating func constrain(_ turn: Int) {
    for channel in 0..<ReferenceSpectra.channels {
      for partition in 0..<layout.partitions where (partition + 3 * channel) % tuning.constraintTurns == turn {
        let row = channel * layout.partitions + partition
        if binsOfRow[row] == 0 { continue }
        taps(of: row, into: scratch)
        if channel < 2, tuning.watchesPeak { notePeak(row) }
        setTaps(of: row)
      }
    }
  }

  @_noLocks @_noAllocation
  private mutating func notePeak(_ row: Int) {
    peakLevels[row] = RealtimeCore.peak(scratch, frames: layout.transform - layout.window)
    for other in 0..<2 * layout.partitions where peakLevels[other] > peakLevels[row] { return }
    var tap = 0
    while abs(scratch[tap]) < peakLevels[row] { tap += 1 }
    peakTaps[row] = Float(tap)
  }

  /// Computes the response of a row, `transform` samples; those after the first `transform` − `window` are the constraint's error.
  @_noLocks @_noAllocation
  func taps(of row: Int, into samples: UnsafeMutablePointer<Float>) {
    let base = weights + row * rowSize, bins = Int(binsOfRow[row])
    copy(base, to: work.re, frames: bins)
    copy(base + layout.bins, to: work.im, frames: bins)
    clear(work.re + bins, frames: layout.allBins - bins)
    clear(work.im + bins, frames: layout.allBins - bins)
    transform.inverse(work, into: samples)
  }

  /// Sets the response of a row to the first `transform` − `window` samples of `scratch`.
  @_noLocks @_noAllocation
  mutating func setTaps(of row: Int) {
    let base = weights + row * rowSize
    clear(scratch + (layout.transform - layout.window), frames: layout.window)
    transform.forward(scratch, re: base, im: base + layout.bins, bins: Int(binsOfRow[row]))
  }
}
