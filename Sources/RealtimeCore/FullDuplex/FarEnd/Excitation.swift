internal import CKernels

/// Tells the bins that the far end excites from those that hold only what leaks from louder ones.
///
/// The reference's spectra have no window, so a tone leaks into all bins. A filter that learns from leakage takes the tone's echo for the
/// path at all other frequencies, and trusts it: when speech follows a ringing tone, its echo escapes. Under a Hann window, whose leakage
/// falls by 18 dB per octave (Harris, Proc. IEEE 66, 1978), bins without sound of their own lose almost all their power. Speech and music
/// leak from partial to partial, too, but there it costs nothing. Own method. Cost: two Hann windows over `bins` bins a hop and side.
/// [realtime] except `init` and `deinit`.
struct Excitation: ~Copyable {
  /// A Boolean value indicating whether few of the speech bins are excited.
  private(set) var isTonal = false
  /// A Boolean value indicating whether it has been tonal for longer than vowels are.
  var isTone: Bool {
    @_noLocks @_noAllocation get { tonalHops >= leastTone }
  }
  /// By bin: 1 where the far end excites it, 0 where it holds leakage; 1 everywhere unless `isTonal`.
  let byBin: Samples

  private let bins, speechBins: Int
  /// Powers with and without the window, by bin, smoothed.
  private let windowed, whole: Samples
  private let memory: Float
  private var tonalHops = 0
  private let leastTone: Int

  private let tuning: Tuning.Excitation

  init(layout: FilterLayout, tuning: Tuning.Excitation = .standard) {
    self.tuning = tuning
    (bins, speechBins) = (layout.bins, layout.speechBins)
    byBin = Samples(repeating: 1, count: bins)
    windowed = Samples(bins)
    whole = Samples(bins)
    memory = layout.perHop(tuning.memory)
    leastTone = layout.hops(tuning.tone)
  }

  /// Processes a hop's spectra: `bins` real parts, `bins` imaginary ones. `right` is nil if both sides are alike.
  @_noLocks @_noAllocation
  mutating func update(_ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>?) {
    add(left, memory: memory)
    if let right { add(right, memory: 1) }
    var excited: Float = 0
    for k in stride(from: 8, to: min(speechBins, bins - 8), by: 8) { excited += share(k).sum() }
    let wasTonal = isTonal
    isTonal = excited < tuning.tonal * Float(speechBins)
    tonalHops = isTonal ? min(tonalHops + 1, leastTone) : 0
    if isTonal {
      for k in stride(from: 8, to: bins - 8, by: 8) { store8(share(k), to: byBin + k) }
    } else if wasTonal {
      for k in 0..<bins { byBin[k] = 1 }
    }
  }

  /// Adds a spectrum's powers to the sums, of which the share `memory` remains.
  @_noLocks @_noAllocation
  private func add(_ spectrum: UnsafePointer<Float>, memory: Float) {
    nearend_hann_powers(spectrum, spectrum + bins, memory, 1 / hannGain, windowed.start, whole.start, Int32(bins))
  }

  /// Forgets what was played before a gap.
  @_noLocks @_noAllocation
  mutating func restart() {
    (isTonal, tonalHops) = (false, 0)
    for k in 0..<bins { (byBin[k], windowed[k], whole[k]) = (1, 0, 0) }
  }

  /// Returns how far eight bins are excited, 0…1. Silence counts as excited.
  @_noLocks @_noAllocation
  private func share(_ k: Int) -> SIMD8<Float> {
    let ratio: SIMD8<Float> = (load8(windowed + k) + 1e-9) / (load8(whole + k) + 1e-9)
    return clamp8((ratio - tuning.leaked) / tuning.range, 0, 1)
  }
}
