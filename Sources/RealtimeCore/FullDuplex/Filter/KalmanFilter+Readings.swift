internal import CRealtime

/// What a filter tells of the echo, of its path, and of itself. [realtime]
extension KalmanFilter {
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

  /// A Boolean value indicating whether it has several times as much: a filter that has learnt that there is no echo may be confident, too.
  var isSure: Bool {
    @_noLocks @_noAllocation get { tuning.sure * expectedPower < echoPower }
  }

  /// Ratio of the error's power to that of all echo that the filter expects: the estimate and its uncertainty. Far above 1 if something
  /// else is heard: the near end, or an echo that the filter does not know.
  var surprise: Float {
    @_noLocks @_noAllocation get { errorPower / (expectedPower + echoPower + 1e-12) }
  }

  /// A Boolean value indicating whether the error correlates negatively with the estimate, by some standard deviations: a smaller
  /// estimate would have left less. By chance, near-end speech does not for several hops in a row.
  var isEstimateTooLarge: Bool {
    @_noLocks @_noAllocation get { misfit < 0 && misfit * misfit > tuning.tooLarge * information }
  }

  /// Returns in which of eight bins from `bin` on echo paths of these powers, from the left and from the right, would be audible at the far
  /// end's mean level.
  @_noLocks @_noAllocation
  func hears(_ bin: Int, left: SIMD8<Float>, right: SIMD8<Float>) -> SIMDMask<SIMD8<Int32>> {
    let fromLeft: SIMD8<Float> = load8(referencePower + bin) * left
    let fromRight: SIMD8<Float> = load8(referencePower + layout.bins + bin) * right
    let audible: SIMD8<Float> = tuning.audible * load8(noise + bin)
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

  /// Returns how many leading partitions carry hardly any of the echo's power, minus one, by which the window could start later; 0 if they
  /// are few, without confidence, or in stereo.
  @_noLocks @_noAllocation
  func idlePartitions() -> Int {
    guard isConfident, binsOfRow.start[layout.partitions] == 0 else { return 0 }
    var all: Float = 0, early: Float = 0, idle = 0
    for partition in 0..<layout.partitions { all += heardPower(of: partition) }
    while idle < layout.partitions {
      early += heardPower(of: idle)
      if early > tuning.idle * all { break }
      idle += 1
    }
    return idle > tuning.idlePartitions ? idle - 1 : 0
  }

  /// Returns the power of the echo that comes from a row of the two sides, weighted by its side's mean spectrum.
  @_noLocks @_noAllocation
  func heardPower(of row: Int) -> Float {
    let re = weights + row * rowSize, im = re + layout.bins, referencePower = referencePower(ofRow: row)
    var sum = SIMD8<Float>.zero
    for k in stride(from: 0, to: Int(binsOfRow.start[row]), by: 8) {
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
}
