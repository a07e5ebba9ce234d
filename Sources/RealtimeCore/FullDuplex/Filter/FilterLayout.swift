/// The sizes of the adaptive filter for one rate.
///
/// Partitions and overlapping windows as in the generalized multidelay filter (GMDF; Moulines, Ait Amrane and Grenier, IEEE Trans. SP-43,
/// 1995). Everything is counted in hops, 4 to 6 ms at the usual rates, so that time constants and the filter's reach in seconds hardly
/// depend on the rate. At 48 kHz: hops of 256 frames, transforms of 2048, error windows of 1024, partitions of 1024 taps (4 hops).
/// Delay: none. Cost: none, computed once.
struct FilterLayout: Sendable {
  /// Hz.
  let rate: Int
  /// Frames from one block to the next, a power of two.
  let hop: Int
  /// Samples of a transform.
  let transform: Int
  /// Newest samples of the error in a transform; each sample is used in `window` / `hop` hops.
  let window: Int
  /// Samples of the suppressor's window, in a transform as long as the filter's, so that their bins are the same. Silence follows the
  /// window: of what gains that differ from bin to bin make of it, less comes round from its beginning to its end, which is heard.
  let suppressorWindow: Int
  /// Hops from one partition to the next.
  let partitionHops = 4
  /// Partitions that are adapted, 0.28 s.
  let partitions: Int
  /// Partitions that `DelayScout` searches for the echo, 0.62 s.
  let reach: Int
  /// Adapted bins, those below 20 kHz, a multiple of 8.
  let bins: Int
  /// Partitions of the fast filter, 0.17 s: a path that moves changes them most. The rest of the echo, the room's tail and the
  /// loudspeaker's saturation, it takes from the careful filter's estimate.
  let fastPartitions: Int
  /// Bins below 11 kHz: speech has little above, and rooms absorb it quickly.
  let speechBins: Int
  /// Partitions in which bins above `speechBins` are adapted, 85 ms, and those of the loudspeaker's saturation, 0.13 s.
  let wideBandPartitions, saturationPartitions: Int
  /// Bins of a transform.
  let allBins: Int
  /// Spectra kept per channel of the reference, a multiple of `partitionHops`.
  let slots: Int
  /// Bins that `DelayScout` reads: the first, the distance between two, their number, and that rounded up to a multiple of 8.
  let firstScoutBin = 16, scoutStep = 3
  let scoutBins, paddedScoutBins: Int

  /// - Parameter rate: 16000…192000 Hz.
  init(rate: Int) {
    self.rate = rate
    // The largest power of two that is no longer than 5.9 ms.
    var hop = 64
    while 2 * hop * 10_000 <= 59 * rate { hop *= 2 }
    self.hop = hop
    transform = 8 * hop
    window = 4 * hop
    suppressorWindow = 6 * hop
    allBins = 4 * hop + 1
    partitions = Int((0.277 * Double(rate) / Double(4 * hop)).rounded())
    reach = Int((0.619 * Double(rate) / Double(4 * hop)).rounded())
    slots = partitionHops * (reach + 1)
    wideBandPartitions = min(4, partitions)
    saturationPartitions = min(6, partitions)
    fastPartitions = min(Int((0.17 * Double(rate) / Double(4 * hop)).rounded()), partitions)
    func bins(below frequency: Int) -> Int { min(4 * hop, (8 * hop * frequency / rate + 7) / 8 * 8) }
    self.bins = bins(below: 20_000)
    speechBins = bins(below: 11_000)
    scoutBins = (min(420, speechBins) - firstScoutBin + scoutStep - 1) / scoutStep
    paddedScoutBins = (scoutBins + 7) / 8 * 8
  }

  /// Bins from 0 on in which an echo may be estimated. At low rates the filter leaves out the highest bin alone, which is as uncertain as
  /// the one below.
  var estimatedBins: Int { bins == allBins - 1 ? allBins : bins }

  /// Values of an array by bin whose reader takes eight bins more than there are.
  var binsAndMargin: Int { bins + 8 }

  /// Hz from one bin to the next.
  var binWidth: Float { Float(rate) / Float(transform) }

  /// Converts seconds to hops, at least one.
  func hops(_ seconds: Double) -> Int { max(1, Int((seconds * Double(rate) / Double(hop)).rounded())) }
}
