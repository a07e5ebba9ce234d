internal import CKernels
internal import CRealtime

/// The steps of a hop: which bins have input, what they predict, what is learnt of the error, and the constraint of the weights. [realtime]
extension KalmanFilter {
  /// Selects the bins of each row that have input; others are skipped.
  @_noLocks @_noAllocation
  mutating func chooseBins(_ reference: borrowing ReferenceSpectra) {
    let speech = Int32(layout.speechBins), wide = reference.isWideBand ? Int32(layout.bins) : speech
    if activeBins == Int(wide), wasStereo == reference.isStereo { return }
    (activeBins, wasStereo) = (Int(wide), reference.isStereo)
    for partition in 0..<layout.partitions {
      let bins = partition < layout.wideBandPartitions ? wide : speech
      binsOfRow.start[partition] = bins
      binsOfRow.start[layout.partitions + partition] = reference.isStereo ? bins : 0
      binsOfRow.start[2 * layout.partitions + partition] = partition < layout.saturationPartitions ? speech : 0
    }
    for row in 0..<rows {
      let isFirst = row < 2 * layout.partitions && row % layout.partitions < layout.fastPartitions
      binsOfFirstRows.start[row] = isFirst ? binsOfRow.start[row] : 0
      binsOfOtherRows.start[row] = isFirst ? 0 : binsOfRow.start[row]
      if role.isPartial { binsOfRow.start[row] = binsOfFirstRows.start[row] }
    }
  }

  @_noLocks @_noAllocation
  func partitions(bins: UnsafeMutablePointer<Int32>) -> nearend_partitions {
    nearend_partitions(
      references: UnsafePointer(references.start), weights: weights.start, bins: UnsafePointer(bins), meanSquares: meanSquares.start,
      count: Int32(rows),
      stride: Int32(layout.bins))
  }

  /// Finds the bins and the reference of each row.
  @_noLocks @_noAllocation
  mutating func findReferences(_ reference: borrowing ReferenceSpectra, offset: Int) {
    chooseBins(reference)
    excitation = UnsafePointer(reference.excitation.byBin.start)
    for channel in 0..<ReferenceSpectra.channels {
      for partition in 0..<layout.partitions where binsOfRow.start[channel * layout.partitions + partition] > 0 {
        references.start[channel * layout.partitions + partition] = reference.spectrum(
          age: offset + partition * layout.partitionHops, channel: channel)
      }
    }
  }

  /// Estimates the echo and its uncertainty: what all other rows predict, and then the first ones.
  @_noLocks @_noAllocation
  mutating func predict(beyond rest: SplitSpectrum, _ restUncertainty: UnsafePointer<Float>) {
    isPassing = false
    var first = partitions(bins: binsOfFirstRows.start)
    copy(rest.re, to: work.re, frames: layout.bins)
    copy(rest.im, to: work.im, frames: layout.bins)
    copy(restUncertainty, to: uncertainty.start, frames: layout.bins)
    nearend_kalman_predict(&first, work.re, work.im, uncertainty.start)
    clear(work.re + layout.bins, frames: layout.allBins - layout.bins)
    clear(work.im + layout.bins, frames: layout.allBins - layout.bins)
    transform.inverse(work.parts, into: time.start)
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
  mutating func learn() {
    var step = nearend_learning(
      bins: Int32(activeBins), stride: Int32(layout.bins), reference: references.start[0],
      otherReference: wasStereo ? references.start[layout.partitions] : nil, errorRe: error.re, errorIm: error.im, echoRe: work.re,
      echoIm: work.im, uncertainty: uncertainty.start, excitation: excitation, referencePower: referencePower.start, noise: noise.start,
      floor: floor.start, squares: squares + Self.margin, inverse: inverse.start, change: change.start, width: Int32(smoothedBins),
      smoothing: noiseMemory, referenceMemory: referenceMemory, rise: rise, windowShare: windowShare, overcount: overcount,
      processNoise: processNoise, leastError: tuning.leastError)
    var errors: Float = 0, products: Float = 0, estimates: Float = 0
    nearend_kalman_learn(&step, &errors, &products, &estimates)
    errorPower += (1 - errorMemory) * (errors - errorPower)
    misfit = misfitMemory * misfit + products
    information = misfitMemory * information + windowShare * estimates
    // Without echo for long, as behind a muted microphone, the filter learns a path of 0, and its variance vanishes with it. The decaying
    // peak keeps it from vanishing.
    for row in 0..<rows {
      heldSquares[row] = max(meanSquares[row], heldSquares[row] * holding)
      meanSquares[row] = max(meanSquares[row], heldShare * heldSquares[row])
    }
    // The two sides only: saturation has its own rows.
    for channel in 0..<2 {
      let means = meanSquares + channel * layout.partitions
      var highest: Float = 0
      for partition in 0..<layout.partitions { highest = max(highest, means[partition]) }
      for partition in 0..<layout.partitions { means[partition] = max(means[partition], tuning.leastShare * highest) }
    }
    var partitions = partitions(bins: binsOfRow.start)
    let share = Float(role.period * layout.hop) / Float(layout.transform)
    nearend_kalman_update(&partitions, error.re, error.im, inverse.start, change.start, share)
  }

  /// Applies the gradient constraint to one of `constraintTurns` groups of partitions: clears the taps beyond a partition's length.
  @_noLocks @_noAllocation
  mutating func constrain(_ turn: Int) {
    for channel in 0..<ReferenceSpectra.channels {
      for partition in 0..<layout.partitions where (partition + 3 * channel) % role.constraintTurns == turn {
        let row = channel * layout.partitions + partition
        if binsOfRow.start[row] == 0 { continue }
        taps(of: row, into: scratch.start)
        if channel < 2, role.watchesPeak { notePeak(row) }
        setTaps(of: row)
      }
    }
  }

  @_noLocks @_noAllocation
  mutating func notePeak(_ row: Int) {
    peakLevels[row] = RealtimeCore.peak(scratch.start, frames: layout.transform - layout.window)
    for other in 0..<2 * layout.partitions where peakLevels[other] > peakLevels[row] { return }
    var tap = 0
    while abs(scratch[tap]) < peakLevels[row] { tap += 1 }
    peakTaps[row] = Float(tap)
  }

  /// Computes the response of a row, `transform` samples; those after the first `transform` − `window` are the constraint's error.
  @_noLocks @_noAllocation
  func taps(of row: Int, into samples: UnsafeMutablePointer<Float>) {
    let base = weights + row * rowSize, bins = Int(binsOfRow.start[row])
    copy(base, to: work.re, frames: bins)
    copy(base + layout.bins, to: work.im, frames: bins)
    clear(work.re + bins, frames: layout.allBins - bins)
    clear(work.im + bins, frames: layout.allBins - bins)
    transform.inverse(work.parts, into: samples)
  }

  /// Sets the response of a row to the first `transform` − `window` samples of `scratch`.
  @_noLocks @_noAllocation
  mutating func setTaps(of row: Int) {
    let base = weights + row * rowSize
    clear(scratch + (layout.transform - layout.window), frames: layout.window)
    transform.forward(scratch.start, re: base, im: base + layout.bins, bins: Int(binsOfRow.start[row]))
  }
}
