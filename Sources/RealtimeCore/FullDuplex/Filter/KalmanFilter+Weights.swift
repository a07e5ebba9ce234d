internal import CRealtime

/// Operations on all weights: the path's power by row, changes of its prior, gain, window and number of channels, and the exchange with
/// another filter. Delay: none. Cost: a pass over a row, or over all weights, when something changes, none of it every hop; `moveEarlier`
/// and `moveLaterByHop` take some three transforms a row. [realtime]
extension KalmanFilter {
  /// With the path, the weights become 0 and the variances the prior. With trust, the variances rise: the filter adapts fast at once; rows
  /// without recent echo have no power to add, and return to a share of the prior. A gap changes nothing.
  @_noLocks @_noAllocation
  mutating func lose(_ loss: Loss) {
    switch loss {
    case .history: break
    case .trust: raiseVariances(by: 1, least: tuning.doubtedShare * priorScale)
    case .path:
      priorScale = 1
      for row in 0..<rows { forget(row: row) }
      (expectedPower, echoPower) = (1, 0)
    }
  }

  @_noLocks @_noAllocation
  func forget(row: Int) {
    let base = weights + row * rowSize, variance = priorScale * Self.priorVariance(row, layout, prior)
    for k in 0..<2 * layout.bins { base[k] = 0 }
    for k in 0..<layout.bins { base[2 * layout.bins + k] = variance }
    meanSquares[row] = 0
    if row < 2 * layout.partitions { peakLevels[row] = 0 }
  }

  /// Scales the variances right after the path was lost, because the echo is louder than the prior.
  @_noLocks @_noAllocation
  mutating func scalePrior(by factor: Float) {
    priorScale *= factor
    for row in 0..<rows {
      let variances = weights + row * rowSize + 2 * layout.bins
      for k in 0..<layout.bins { variances[k] *= factor }
    }
  }

  /// Returns the prior variance of a row.
  @_noLocks @_noAllocation
  static func priorVariance(_ row: Int, _ layout: FilterLayout, _ prior: Tuning.PathPrior) -> Float {
    let seconds = Float(row % layout.partitions * layout.partitionHops * layout.hop) / Float(layout.rate)
    return (row < 2 * layout.partitions ? prior.initial : prior.initialOfSaturation) * rt_powf(10, -prior.decay / 10 * seconds)
  }

  /// Returns a row's weights: `bins` real parts, `bins` imaginary ones.
  @_noLocks @_noAllocation
  func row(_ row: Int) -> UnsafePointer<Float> { UnsafePointer(weights + row * rowSize) }

  /// Estimates the mean power of a row's path over the speech bins, with its standard deviation.
  ///
  /// Of a weight with prior variance v, the share γ = 1 − P / v is known; for a path of power s, |W|² is γ² s + γ (1 − γ) v on average.
  /// Without knowledge, the deviation is the prior itself.
  @_noLocks @_noAllocation
  func power(of row: Int, prior: Float) -> (power: Float, deviation: Float) {
    let re = weights + row * rowSize, im = re + layout.bins, variance = im + layout.bins
    var excess = SIMD8<Float>.zero, knowledge = SIMD8<Float>.zero, noise = SIMD8<Float>.zero
    for k in stride(from: 0, to: min(Int(binsOfRow.start[row]), layout.speechBins), by: 8) {
      let unknown: SIMD8<Float> = load8(variance + k) / prior
      let known: SIMD8<Float> = clamp8(1 - unknown, 0, 1)
      let r = load8(re + k), i = load8(im + k), expected: SIMD8<Float> = prior * known * (1 - known)
      let power: SIMD8<Float> = r * r + i * i
      excess += power - expected
      knowledge += known * known
      noise += expected * expected
    }
    // At least the information of one fully learnt bin.
    let sum = max(knowledge.sum(), 1)
    return knowledge.sum() < 1 ? (0, prior) : (excess.sum() / sum, rt_sqrtf(noise.sum()) / sum)
  }

  /// The share of the path's power that comes from its strongest partition, of those that a partial filter has, 0…1.
  var concentration: Float {
    @_noLocks @_noAllocation get {
      var all: Float = 1e-20, strongest: Float = 0
      for partition in 0..<layout.fastPartitions {
        let power = meanSquares[partition] + (sides > 1 ? meanSquares[layout.partitions + partition] : 0)
        all += power
        strongest = max(strongest, power)
      }
      return strongest / all
    }
  }

  /// Rescales a row's weights and variances as if the filter had started with the new prior variance.
  @_noLocks @_noAllocation
  mutating func changePrior(of row: Int, from former: Float, to newest: Float) {
    let re = weights + row * rowSize, im = re + layout.bins, variance = im + layout.bins
    // A variance near the prior, as without trust, is treated as a part of it, which keeps the divisor positive.
    let added = 1 / newest - 1 / former, most = tuning.mostOfPrior * former
    for k in stride(from: 0, to: layout.bins, by: 8) {
      let p = load8(variance + k), bounded: SIMD8<Float> = p.replacing(with: most, where: p .> most)
      let factor: SIMD8<Float> = 1 / (1 + added * bounded)
      store8(factor * load8(re + k), to: re + k)
      store8(factor * load8(im + k), to: im + k)
      store8(factor * p, to: variance + k)
    }
  }

  /// Adds `share` times the path's power to the variances, which become at least `least` times the prior.
  @_noLocks @_noAllocation
  func raiseVariances(by share: Float, least: Float = 0) {
    for row in 0..<rows {
      let re = weights + row * rowSize, im = re + layout.bins, variance = im + layout.bins
      let mean = meanSquares[row], lowest = least * Self.priorVariance(row, layout, prior)
      for k in stride(from: 0, to: layout.bins, by: 8) {
        let r = load8(re + k), i = load8(im + k)
        let power: SIMD8<Float> = 0.5 * share * (r * r + i * i + mean), raised: SIMD8<Float> = load8(variance + k) + power
        store8(raised.replacing(with: lowest, where: raised .< lowest), to: variance + k)
      }
    }
  }

  /// Adds the process noise of hops without learning, because the path may have moved meanwhile.
  @_noLocks @_noAllocation
  func age(by hops: Int) {
    let share = 1 - rt_powf(1 - processNoise, Float(hops / role.period))
    for row in 0..<rows {
      let re = weights + row * rowSize, im = re + layout.bins, variance = im + layout.bins
      for k in stride(from: 0, to: layout.bins, by: 8) {
        let r = load8(re + k), i = load8(im + k), p = load8(variance + k)
        let power: SIMD8<Float> = 0.5 * (r * r + i * i + meanSquares[row]), aged: SIMD8<Float> = p + share * (power - p)
        store8(aged.replacing(with: p, where: p .> aged), to: variance + k)
      }
    }
  }

  /// Copies another filter's weights and variances in a range of bins, for the rows that both filters have.
  @_noLocks @_noAllocation
  mutating func adopt(_ other: borrowing KalmanFilter, bins: Range<Int>) {
    for row in 0..<rows where binsOfRow.start[row] > 0 && other.binsOfRow.start[row] > 0 {
      for part in 3 * row..<3 * row + 3 {
        let to = weights + part * layout.bins, from = other.weights + part * layout.bins
        for k in bins { to[k] = from[k] }
      }
    }
  }

  /// Approaches another filter's weights and variances in a range of bins by this share of the way, for the rows that both filters have.
  @_noLocks @_noAllocation
  mutating func approach(_ other: borrowing KalmanFilter, bins: Range<Int>, step: Float) {
    if step == 1 { return adopt(other, bins: bins) }
    for row in 0..<rows where binsOfRow.start[row] > 0 && other.binsOfRow.start[row] > 0 {
      for part in 3 * row..<3 * row + 3 {
        let to = weights + part * layout.bins, from = other.weights + part * layout.bins
        for k in bins { to[k] += step * (from[k] - to[k]) }
      }
    }
  }

  /// Returns to another filter's path, and to what that may regain: what this one has learnt since it was reset is discarded.
  @_noLocks @_noAllocation
  mutating func restore(_ other: borrowing KalmanFilter) {
    adopt(other, bins: 0..<layout.bins)
    copy(other.meanSquares.start, to: meanSquares.start, frames: rows)
    copy(other.heldSquares.start, to: heldSquares.start, frames: rows)
  }

  /// Scales the estimated path, because the echo's level has changed by a factor, which is known with this relative variance.
  @_noLocks @_noAllocation
  mutating func scale(by factor: Float, variance: Float = 0) {
    for row in 0..<rows {
      let re = weights + row * rowSize, im = re + layout.bins, variances = im + layout.bins
      for k in 0..<layout.bins {
        variances[k] = (variances[k] + variance * (re[k] * re[k] + im[k] * im[k])) * (factor * factor)
        (re[k], im[k]) = (re[k] * factor, im[k] * factor)
      }
      // Local copies: Swift 6.3 fails to compile direct accesses under ThreadSanitizer.
      let (means, held) = (meanSquares.start, heldSquares.start)
      means[row] *= factor * factor
      held[row] *= factor * factor
    }
  }

  /// Switches to two channels: each starts with half of the mono path's weights.
  @_noLocks @_noAllocation
  mutating func split() {
    for partition in 0..<layout.partitions {
      let left = weights + partition * rowSize, right = left + layout.partitions * rowSize
      let half = meanSquares[partition] / 4
      for k in 0..<2 * layout.bins {
        left[k] *= 0.5
        right[k] = left[k]
      }
      for k in 2 * layout.bins..<rowSize {
        let power = left[k - layout.bins] * left[k - layout.bins] + left[k - 2 * layout.bins] * left[k - 2 * layout.bins]
        left[k] = 0.5 * left[k] + 0.25 * (power + half)
        right[k] = left[k]
      }
      meanSquares[partition] = half
      meanSquares[layout.partitions + partition] = half
    }
    copy(referencePower.start, to: referencePower + layout.bins, frames: layout.bins)
  }

  /// Switches to one channel, whose weights and variances are the sums of both channels'.
  @_noLocks @_noAllocation
  mutating func join() {
    for partition in 0..<layout.partitions {
      let left = weights + partition * rowSize, right = left + layout.partitions * rowSize
      for k in 0..<rowSize {
        left[k] += right[k]
        right[k] = 0
      }
      meanSquares[partition] = 0
      peakLevels[layout.partitions + partition] = 0
    }
  }

  /// Shifts the weights by `partitions` towards earlier echoes, to match a reference delayed by as much; rows that enter are reset.
  @_noLocks @_noAllocation
  mutating func move(by partitions: Int) {
    let count = layout.partitions
    for channel in 0..<ReferenceSpectra.channels {
      for i in 0..<count {
        // Iterates so that no row is overwritten before it is read.
        let partition = partitions > 0 ? i : count - 1 - i
        let source = partition + partitions
        let row = channel * count + partition
        guard source >= 0, source < count else {
          forget(row: row)
          continue
        }
        let from = weights + (channel * count + source) * rowSize, to = weights + row * rowSize
        for k in 0..<rowSize { to[k] = from[k] }
        meanSquares[row] = meanSquares[channel * count + source]
        heldSquares[row] = heldSquares[channel * count + source]
        if channel < 2 {
          peakLevels[row] = peakLevels[channel * count + source]
          peakTaps[row] = peakTaps[channel * count + source]
        }
      }
    }
  }

  /// Shifts the weights towards earlier echoes, to match a reference delayed by as much: by a hop, or by as much of it as no echo comes
  /// from. Returns the frames, a multiple of 8; 0, and changes nothing, if echo comes from the first 8 already.
  @_noLocks @_noAllocation
  mutating func moveEarlier() -> Int {
    let frames = idleFrames()
    if frames > 0 { moveEarlier(by: frames) }
    return frames
  }

  /// The same by so many frames, a hop at most, whether echo comes from them or not.
  @_noLocks @_noAllocation
  mutating func moveEarlier(by frames: Int) {
    let length = layout.transform - layout.window
    for channel in 0..<ReferenceSpectra.channels {
      for partition in 0..<layout.partitions {
        let row = channel * layout.partitions + partition
        if binsOfRow.start[row] == 0 { continue }
        taps(of: row, into: scratch.start)
        if partition + 1 < layout.partitions { taps(of: row + 1, into: following.start) } else { clear(following.start, frames: frames) }
        copy(scratch + frames, to: scratch.start, frames: length - frames)
        copy(following.start, to: scratch + (length - frames), frames: frames)
        setTaps(of: row)
      }
    }
    for row in 0..<2 * layout.partitions { peakTaps[row] = max(peakTaps[row] - Float(frames), 0) }
  }

  /// Shifts the weights by one hop towards later echoes, to match a reference that is earlier by as much. The last hop of the last
  /// partition is lost.
  @_noLocks @_noAllocation
  mutating func moveLaterByHop() {
    let length = layout.transform - layout.window
    for channel in 0..<ReferenceSpectra.channels {
      for partition in stride(from: layout.partitions - 1, through: 0, by: -1) {
        let row = channel * layout.partitions + partition
        if binsOfRow.start[row] == 0 { continue }
        taps(of: row, into: scratch.start)
        copy(scratch.start, to: scratch + layout.hop, frames: length - layout.hop)
        if partition > 0 {
          taps(of: row - 1, into: following.start)
          copy(following + (length - layout.hop), to: scratch.start, frames: layout.hop)
        } else {
          clear(scratch.start, frames: layout.hop)
        }
        setTaps(of: row)
      }
    }
    let last = Float(length - 1)
    for row in 0..<2 * layout.partitions { peakTaps[row] = min(peakTaps[row] + Float(layout.hop), last) }
  }

  /// Returns the frames at the window's start from which hardly any echo comes: a hop, or the largest fraction of it, halved repeatedly; 0
  /// if not even the first 8 frames. Weighted by the far end's mean
  /// spectrum: in bins where the far end is silent, taps hold only noise.
  @_noLocks @_noAllocation
  private func idleFrames() -> Int {
    var all: Float = 0, frames = layout.hop
    for row in 0..<2 * layout.partitions where binsOfRow.start[row] > 0 { all += heardPower(of: row) }
    while frames >= 8 {
      let most: Float = frames == layout.hop ? tuning.idleHop : tuning.idleFrames
      if heardPower(first: frames) <= most * all { return frames }
      frames /= 2
    }
    return 0
  }

  /// Returns the power of the echo that comes from the window's first frames, weighted by the far end's mean spectrum.
  @_noLocks @_noAllocation
  private func heardPower(first frames: Int) -> Float {
    var power: Float = 0
    for row in stride(from: 0, through: layout.partitions, by: layout.partitions) where binsOfRow.start[row] > 0 {
      taps(of: row, into: scratch.start)
      clear(scratch + frames, frames: layout.transform - frames)
      transform.forward(scratch.start, into: work.parts)
      let referencePower = referencePower(ofRow: row)
      for k in 0..<Int(binsOfRow.start[row]) { power += referencePower[k] * work.parts.power(k) }
    }
    return power
  }
}
