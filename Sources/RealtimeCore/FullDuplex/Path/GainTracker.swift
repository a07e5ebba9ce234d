/// Detects that the volume was turned, or the microphone's gain changed: the echo is then the estimate times one factor.
///
///     p = (m + y − e) / 2 = Re ⟨microphone, estimate⟩, of the energies m, y and e of the microphone, the estimate and the residual
///     g = Σ p / m / Σ y / m;   explained = (Σ p / m)² / (n Σ y / m);   var g / g² = (1 − explained) / (n explained)
///
/// over the n bands of some hops in which the echo is audible: least squares with equal weight for each band, so that loud low frequencies
/// do not decide alone. If only the gain has changed, g explains all that is heard while nobody talks at the near end, and a large part of
/// it otherwise; of the echo of another path, it explains nothing. Own method. Cost: a division a band, and some 20 sums, a hop.
/// [realtime] except `init` and `deinit`.
struct GainTracker: ~Copyable {
  /// Σ p / m, Σ y / m and n.
  // Not private: Swift 6.3 needs its metadata where the tests free a tracker, and does not find it.
  struct Sums {
    var products: Float = 0
    var echo: Float = 0
    var count: Float = 0

    var gain: Float { @_noLocks @_noAllocation get { products / (echo + 1e-12) } }
    /// 0…1; 0 for a negative gain.
    var explained: Float {
      @_noLocks @_noAllocation get { products > 0 ? products * products / (echo * count + 1e-12) : 0 }
    }
  }

  private let bands: Int
  private let tuning: Tuning.GainTracker
  /// Ring of the sums of the newest hops.
  private let history: Buffer<Sums>
  private var newest = 0
  /// Consecutive hops with a small change, and with a clear one.
  private var smallHops = 0
  private var clearHops = 0
  /// Hops whose sums are added up: usually, while both talk, and once the estimate was found to be too large.
  private let short, long, sudden: Int
  /// Hops for which a small change must be seen.
  private let patience: Int

  init(layout: FilterLayout, tuning: Tuning.GainTracker = .standard, bands: Int) {
    self.bands = bands
    self.tuning = tuning
    short = layout.hops(tuning.short)
    long = layout.hops(tuning.long)
    sudden = layout.hops(tuning.sudden)
    patience = layout.hops(tuning.patience)
    history = Buffer(repeating: Sums(), count: long)
  }

  /// Processes one hop. Returns a change, of filters that have converged, which lasts until `lose`.
  @_noLocks @_noAllocation
  mutating func observe(_ hop: PathHop, hasConverged: Bool) -> PathNews? {
    var sums = Sums()
    for band in 0..<bands {
      let m = hop.microphone[band], y = hop.echo[band], noise = hop.noise[band]
      guard m > tuning.audibleMicrophone * noise, y > tuning.audibleEcho * noise else { continue }
      let weight = 1 / (m + 1e-12)
      sums.products += 0.5 * weight * (m + y - hop.residual[band])
      sums.echo += weight * y
      sums.count += 1
    }
    newest = newest + 1 == long ? 0 : newest + 1
    history.start[newest] = sums
    if !hasConverged {
      (smallHops, clearHops) = (0, 0)
      return nil
    }
    guard let gain = change() else { return nil }
    return .gainChanged(gain)
  }

  /// Returns the factor by which the echo has fallen, and the relative variance of that factor, if that is why the estimate has just been
  /// found to be too large; nil if the echo comes another way now. Whether somebody talks at the near end makes no difference.
  // `mutating`: Swift 6.3 copies the structure for a method that is not.
  @_noLocks @_noAllocation
  mutating func fall() -> GainFall? {
    let sums = sum(sudden), explained = sums.explained
    guard explained > tuning.fallExplained, sums.gain < tuning.mostFallen, sums.gain > tuning.leastFallen else { return nil }
    return GainFall(gain: sums.gain, variance: (1 - explained) / (explained * sums.count))
  }

  /// Forgets all hops with the path: the estimate they tell of was scaled, or is another one.
  @_noLocks @_noAllocation
  mutating func lose(_ loss: Loss) {
    guard case .path = loss else { return }
    (smallHops, clearHops) = (0, 0)
    for hop in 0..<long { history.start[hop] = Sums() }
  }

  /// The greater the change, the less it must explain.
  @_noLocks @_noAllocation
  private mutating func change() -> Float? {
    let now = sum(short), size = max(now.gain, 1 / max(now.gain, 1e-6)), explained = now.explained
    let counts = now.gain > 1 / tuning.mostDown && now.gain < tuning.mostUp && isEnough(now, short)
    smallHops = counts && size > tuning.least && explained > tuning.smallExplained ? smallHops + 1 : 0
    clearHops = counts && size > tuning.clear && explained > tuning.clearExplained ? clearHops + 1 : 0
    // The newest hop alone agrees unless the change has just begun.
    let ratio = history.start[newest].gain / now.gain, agrees = ratio > tuning.leastAgreeing && ratio < tuning.mostAgreeing
    let isGreat = agrees && size > tuning.great && explained > tuning.greatExplained
    if counts, isGreat || clearHops >= short || smallHops >= patience { return now.gain }
    // While both talk. Downwards, a path that begins to move would look alike.
    let before = sum(long), isRise = before.gain > tuning.rise && before.gain < tuning.mostUp
    let isLouder = isRise && before.explained > tuning.riseExplained && isEnough(before, long)
    return isLouder ? before.gain : nil
  }

  /// Returns whether enough bands count in the sums of so many hops.
  // `mutating`: as `fall`.
  @_noLocks @_noAllocation
  private mutating func isEnough(_ sums: Sums, _ hops: Int) -> Bool { sums.count > tuning.enough * Float(hops * bands) }

  /// Returns the sums of the newest hops.
  @_noLocks @_noAllocation
  private func sum(_ hops: Int) -> Sums {
    var all = Sums(), place = newest
    for _ in 0..<hops {
      all.products += history.start[place].products
      all.echo += history.start[place].echo
      all.count += history.start[place].count
      place = place == 0 ? long - 1 : place - 1
    }
    return all
  }
}
