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
///     shift: frames per learning step;   q, overcount: of `Tuning.Learning`
///
/// `P` is the variance of `W`, so `U` is the expected power of the residual echo. In bins where no echo is audible over the noise, λ is
/// near 0: otherwise noise, or the comfort noise of a pausing far end, would make the filter unlearn the path.
///
/// A partial filter has weights for the two sides' first partitions only. The rest of the echo, and its uncertainty, it takes from the
/// whole filter, which is processed first.
///
/// Cost: an inverse transform a hop; a forward one, and two for each row that is constrained, a learning step.
struct KalmanFilter: ~Copyable {
  let layout: FilterLayout
  let role: Role
  let tuning: Tuning.KalmanFilter
  /// Of `Tuning.Learning`.
  let overcount, heldShare: Float
  let smoothedBins: Int
  let prior: Tuning.PathPrior
  let transform: FourierTransform
  /// Of the newest hop.
  let estimate: FilterEstimate
  /// Rows by channel and partition, each of real parts, imaginary parts and variances.
  let weights: Samples
  let meanSquares: Samples
  /// Peak of each row's mean square, decaying by `holding`: the power that the path may regain.
  let heldSquares: Samples
  /// Bins used of each row, 0 if there is nothing to predict; those of the rows that a partial filter has, and of all others.
  let binsOfRow, binsOfFirstRows, binsOfOtherRows: Buffer<Int32>
  /// The echo that the rows missing in a partial filter predict, and its uncertainty, Σ |X|² P.
  let rest: Spectrum
  let restUncertainty: Samples
  let references: Buffer<UnsafePointer<Float>>
  /// `Excitation.byBin` of the reference.
  var excitation: UnsafePointer<Float>
  /// U of the last hop.
  let uncertainty: Samples
  /// The noise S of the formulas above, by bin.
  let noise: Samples
  /// The noise floor N of the formulas above, by bin.
  let floor: Samples
  /// λ q.
  let change: Samples
  /// λ / D of the last learning step.
  let inverse: Samples
  /// |E|² of the last learning step, by bin, and `margin` values before and after them, which the kernel reads.
  let squares: Samples
  /// Y of the last hop, until weights are constrained; then scratch memory.
  let work: Spectrum
  /// E of the last hop.
  let error: Spectrum
  let time, scratch, following: Samples
  let errorWindow: Samples
  /// By row of the two sides: the magnitude of the strongest tap, and its index.
  let peakLevels, peakTaps: Samples
  /// |X|² of the two sides, averaged over one to two seconds. In mono the second one is not used.
  let referencePower: Samples
  var hops = 0
  /// A Boolean value indicating whether the newest estimate is 0, because the microphone was passed through.
  var isPassing = false
  /// Bins of the widest row.
  var activeBins = 0
  /// A Boolean value indicating whether the rows of the second channel are in use.
  var wasStereo = false
  /// Σ U and window / transform · Σ |Y|², smoothed over some hops.
  var expectedPower: Float = 1
  var echoPower: Float = 0
  /// Σ |E|², smoothed over some learning steps.
  var errorPower: Float = 0
  /// Σ λ Re(Y* E) / D, and window / transform · Σ λ |Y|² / D, its expected variance; both over the last few learning steps.
  var misfit: Float = 0
  var information: Float = 0
  /// Factor by which N may rise per learning step.
  let rise: Float
  /// q: the share of the path's power that is expected to change per learning step, 0…1.
  let processNoise: Float
  /// What remains per hop of `expectedPower`; per learning step of `errorPower`, of `misfit`, of S, of the reference's mean power, and of
  /// `heldSquares`.
  let powerMemory, errorMemory, misfitMemory, noiseMemory, referenceMemory, holding: Float
  /// window / transform.
  let windowShare: Float
  let rows: Int
  let rowSize: Int
  /// Factor of the prior variances since the path was last lost.
  var priorScale: Float = 1

  static var margin: Int {
    @_noLocks @_noAllocation get { 8 }
  }

  /// - Parameter transform: of `layout.transform` samples.
  init(layout: FilterLayout, role: Role, tuning: Tuning = .standard, transform: borrowing FourierTransform) {
    let learning = role.isPartial ? tuning.fastFilter : tuning.carefulFilter
    self.layout = layout
    self.role = role
    (overcount, heldShare) = (learning.overcount, learning.heldShare)
    // As many as the kernel allows.
    smoothedBins = min(max(learning.smoothedBins, 1), 8)
    self.tuning = tuning.kalmanFilter
    prior = tuning.pathPrior
    self.transform = FourierTransform(sharing: transform)
    rows = ReferenceSpectra.channels * layout.partitions
    rowSize = 3 * layout.bins
    weights = Samples(rows * rowSize)
    meanSquares = Samples(rows)
    heldSquares = Samples(rows)
    binsOfRow = Buffer(repeating: 0, count: rows)
    binsOfFirstRows = Buffer(repeating: 0, count: rows)
    binsOfOtherRows = Buffer(repeating: 0, count: rows)
    rest = Spectrum(layout.bins)
    restUncertainty = Samples(layout.bins)
    uncertainty = Samples(layout.binsAndMargin)
    references = Buffer(repeating: UnsafePointer(uncertainty.start), count: rows)
    excitation = UnsafePointer(uncertainty.start)
    noise = Samples(layout.bins)
    floor = Samples(repeating: .greatestFiniteMagnitude, count: layout.bins)
    change = Samples(layout.bins)
    windowShare = Float(layout.window) / Float(layout.transform)
    rise = rt_powf(tuning.kalmanFilter.noiseRise, Float(role.period * layout.hop) / Float(layout.rate))
    processNoise = 1 - layout.perHop(learning.path, every: role.period)
    powerMemory = layout.perHop(tuning.kalmanFilter.power)
    errorMemory = layout.perHop(learning.error, every: role.period)
    misfitMemory = layout.perHop(learning.misfit, every: role.period)
    noiseMemory = layout.perHop(learning.noise, every: role.period)
    referenceMemory = layout.perHop(learning.reference, every: role.period)
    holding = layout.perHop(learning.peak, every: role.period)
    inverse = Samples(layout.bins)
    squares = Samples(layout.allBins + 2 * Self.margin)
    work = Spectrum(layout.allBins)
    error = Spectrum(layout.allBins)
    time = Samples(layout.transform)
    scratch = Samples(layout.transform)
    following = Samples(layout.transform)
    errorWindow = Samples(layout.transform)
    let newest = layout.transform - layout.hop
    estimate = FilterEstimate(
      echo: UnsafePointer(time + newest), residual: UnsafePointer(errorWindow + newest), uncertainty: UnsafePointer(uncertainty.start))
    peakLevels = Samples(2 * layout.partitions)
    peakTaps = Samples(2 * layout.partitions)
    referencePower = Samples(2 * layout.bins)
    // Swift 6.0 does not let an initializer of a noncopyable structure call a mutating method, such as `lose`.
    for row in 0..<rows { forget(row: row) }
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
    @_noLocks @_noAllocation get { hops % role.period == 0 }
  }

  /// Estimates the echo in the newest `window` samples of the microphone, once a hop.
  ///
  /// - Parameter offset: age in hops of the reference at the first partition.
  @_noLocks @_noAllocation
  mutating func predict(_ reference: borrowing ReferenceSpectra, offset: Int) {
    findReferences(reference, offset: offset)
    clear(rest.re, frames: layout.bins)
    clear(rest.im, frames: layout.bins)
    clear(restUncertainty.start, frames: layout.bins)
    var others = partitions(bins: binsOfOtherRows.start)
    nearend_kalman_predict(&others, rest.re, rest.im, restUncertainty.start)
    predict(beyond: rest.parts, restUncertainty.start)
  }

  /// Estimates the echo of a partial filter, after the whole one, from which it takes the rest of the echo, and the references.
  @_noLocks @_noAllocation
  mutating func predict(_ reference: borrowing ReferenceSpectra, beyond whole: borrowing KalmanFilter) {
    chooseBins(reference)
    excitation = whole.excitation
    for row in 0..<rows where binsOfRow.start[row] > 0 { references.start[row] = whole.references.start[row] }
    predict(beyond: whole.rest.parts, whole.restUncertainty.start)
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
    transform.forward(errorWindow.start, re: error.re, im: error.im, bins: activeBins + 8)
    learn()
    constrain((hops / role.period) % role.constraintTurns)
  }

  /// Estimates and learns nothing for one hop, because the far end was silent for the filter's whole reach, or the microphone is closed.
  @_noLocks @_noAllocation
  mutating func passThrough() {
    if isPassing { return }
    isPassing = true
    clear(time + (layout.transform - layout.hop), frames: layout.hop)
    clear(uncertainty.start, frames: layout.bins)
  }
}
