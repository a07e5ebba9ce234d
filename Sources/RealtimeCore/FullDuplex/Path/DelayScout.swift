internal import CKernels

/// Finds where in the last 0.6 s of the far end the echo comes from, by the magnitude-squared coherence of the error with the reference of
/// each partition's age. Own method. Cost: every second hop, unless `isAtRest`, `reach` rows of `paddedScoutBins` bins for each side.
/// [realtime] except `init` and `deinit`.
struct DelayScout: ~Copyable {
  private let layout: FilterLayout
  private let tuning: Tuning.DelayScout
  /// What remains of the spectra and of the evidence from one search to the next.
  private let memory, evidenceMemory: Float
  /// Bins, a multiple of 8; the last few may be padding.
  private let count: Int
  /// Smoothed cross spectra and powers, by side, partition and bin.
  private let crossRe, crossIm, referencePower: Samples
  private let error, errorPower: Samples
  private let coherence, sorted, evidence: Samples
  /// The partition with the most evidence.
  private var best = 0
  /// Sides of the far end that the last search looked at; what is kept of the other one is stale.
  private var sides = 1
  private var lastSearch = 0
  /// The delay in hops that the evidence asked for last; what is collected anew has to agree.
  private var candidate: Int?
  /// Searches until the spectra contain enough to tell one age from another.
  private var searchesUntilSettled: Int
  /// A Boolean value indicating whether the filter still has weights that would be lost by a needless move.
  private var isWary = false
  /// Notes of a filter that is sure, minus more for each of one that is not; 0 while the echo may begin where the window ends.
  private var assurance = 0
  /// Hops from one search to the next: those of the careful filter's learning steps.
  private static let period = 2
  /// Assurance above which a search is needless, half of the most that is counted.
  private let enough: Int
  /// Hops for which the evidence holds.
  private let longestPause: Int

  /// Searches before the first decision.
  private let settling: Int

  init(layout: FilterLayout, tuning: Tuning.DelayScout = .standard) {
    self.layout = layout
    self.tuning = tuning
    memory = layout.perHop(tuning.memory, every: Self.period)
    evidenceMemory = layout.perHop(tuning.evidence, every: Self.period)
    longestPause = layout.hops(tuning.longestPause)
    enough = layout.hops(tuning.rest) / Self.period
    settling = layout.hops(tuning.settling) / Self.period
    searchesUntilSettled = settling
    count = layout.paddedScoutBins
    let size = ReferenceSpectra.sides * layout.reach * count
    crossRe = Samples(size)
    crossIm = Samples(size)
    referencePower = Samples(repeating: 1e-6, count: size)
    error = Samples(2 * count)
    errorPower = Samples(repeating: 1e-6, count: count)
    coherence = Samples(layout.reach)
    sorted = Samples(layout.reach)
    evidence = Samples(layout.reach)
  }

  /// A Boolean value indicating whether there is an echo, at any age.
  var isCertain: Bool {
    @_noLocks @_noAllocation get { evidence[best] > tuning.certain }
  }
  /// Share of the error that comes from the partition with the most evidence, 0…1; both sides may explain the same of it.
  var echoShare: Float {
    @_noLocks @_noAllocation get { min(coherence[best], 1) }
  }

  /// Power gain from what is played to the share of the error that is echo; 1 is an echo as loud as the far end.
  var echoGain: Float {
    @_noLocks @_noAllocation get {
      var heard = SIMD8<Float>.zero, played = SIMD8<Float>(repeating: 1e-12)
      for j in stride(from: 0, to: count, by: 8) {
        heard += load8(errorPower + j)
        for side in 0..<sides { played += load8(referencePower + (side * layout.reach + best) * count + j) }
      }
      return echoShare * heard.sum() / played.sum()
    }
  }

  /// A Boolean value indicating whether the filter has been sure for so long that its window is well placed. An error that surprises
  /// the filter is to be searched all the same.
  var isAtRest: Bool {
    @_noLocks @_noAllocation get { assurance > enough }
  }

  /// Notes the filter's state before each search or instead of it, every second hop.
  ///
  /// - Parameters:
  ///   - isSure: whether the filter expects far more echo than error.
  ///   - isAtTheEnd: whether its strongest tap is in the last partition, so that the echo may only begin there.
  @_noLocks @_noAllocation
  mutating func note(isSure: Bool, isAtTheEnd: Bool) {
    if isAtRest { isWary = false }
    assurance = isAtTheEnd ? 0 : isSure ? min(assurance + 1, 2 * enough) : max(assurance - tuning.doubt, 0)
  }

  /// Ends the rest, because the filter's assurance may be false.
  @_noLocks @_noAllocation
  mutating func wake() { assurance = 0 }

  /// Discards correlations and evidence, whatever is lost. Without trust, the filter keeps its weights, and more is asked for to move it.
  @_noLocks @_noAllocation
  mutating func lose(_ loss: Loss) {
    wake()
    isWary = if case .trust = loss { true } else { false }
    discard()
  }

  /// Discards correlations and evidence.
  @_noLocks @_noAllocation
  private mutating func discard() {
    for i in 0..<ReferenceSpectra.sides * layout.reach * count { (crossRe[i], crossIm[i]) = (0, 0) }
    for i in 0..<layout.reach { evidence[i] = 0 }
    candidate = nil
    searchesUntilSettled = settling
  }

  /// Searches once, every second hop. Returns the hops by which to delay the filter's reference; nil if well placed, or undecided.
  ///
  /// - Parameters:
  ///   - offset: the present delay in hops.
  ///   - now: the number of this hop. What was found before a longer pause is forgotten.
  @_noLocks @_noAllocation
  mutating func search(_ reference: borrowing ReferenceSpectra, error: SplitSpectrum, offset: Int, at now: Int) -> Int? {
    if now - lastSearch > longestPause { discard() }
    lastSearch = now
    correlate(reference, error: error)
    searchesUntilSettled = max(searchesUntilSettled - 1, 0)
    if searchesUntilSettled > 0 { return nil }
    let reach = layout.reach, hops = layout.partitionHops, partitions = layout.partitions
    copy(coherence.start, to: sorted.start, frames: reach)
    let floor = max(tuning.clear * median(sorted.start, count: reach), tuning.least)
    for partition in 0..<reach {
      evidence[partition] = evidenceMemory * evidence[partition] + max(coherence[partition] - floor, 0)
      if evidence[partition] > evidence[best] { best = partition }
    }
    // After drift the filter's window starts a few hops into a partition: `first` is the first partition that lies wholly within it.
    let hopsIntoPartition = offset % hops, first = (offset + hops - 1) / hops
    // The echo should begin in the window's first 0.13 s, so that its tail fits. Moving the window later takes more evidence.
    var inside: Float = 0
    for partition in first..<min(first + 6, reach) { inside = max(inside, evidence[partition]) }
    let isBefore = best < first && evidence[best] > inside, isBeyond = best > first + 5 && evidence[best] > tuning.later * inside
    // Starts a partition before the strongest one, because the echo may begin earlier.
    let target = min(max(best - (hopsIntoPartition == 0 ? 1 : 2), 0), reach - partitions) * hops + hopsIntoPartition
    guard evidence[best] > (isWary ? tuning.certain : tuning.telling), isBefore || isBeyond, target != offset else { return nil }
    for partition in 0..<reach { evidence[partition] = 0 }
    let former = candidate
    candidate = target
    guard let former, abs(target - former) <= 2 * hops else { return nil }
    isWary = false
    return target
  }

  @_noLocks @_noAllocation
  private mutating func correlate(_ reference: borrowing ReferenceSpectra, error spectrum: SplitSpectrum) {
    sides = reference.isStereo ? ReferenceSpectra.sides : 1
    spectrum.thin(layout, into: error.start)
    for j in stride(from: 0, to: count, by: 8) {
      let re = load8(error + j), im = load8(error + count + j)
      store8(memory * load8(errorPower + j) + (1 - memory) * (re * re + im * im), to: errorPower + j)
    }
    for partition in 0..<layout.reach {
      var sum: Float = 0
      for channel in 0..<sides {
        let start = (channel * layout.reach + partition) * count
        var row = nearend_correlation(
          crossRe: crossRe + start, crossIm: crossIm + start, power: referencePower + start, bins: Int32(count), memory: memory)
        sum += nearend_correlate(
          &row, reference.scoutSpectrum(age: partition * layout.partitionHops, channel: channel), error.start, errorPower.start)
      }
      coherence[partition] = sum / Float(layout.scoutBins)
    }
  }
}
