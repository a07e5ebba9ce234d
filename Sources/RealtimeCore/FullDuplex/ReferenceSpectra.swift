/// The spectra of the far end, a hop apart: a ring of what the echo may come from. [realtime] but for `init` and `deinit`.
struct ReferenceSpectra: ~Copyable {
  /// The first or only side, the second, what saturation adds.
  static var channels: Int {
    @_noLocks @_noAllocation get { 3 }
  }
  /// Mean square of a hop that counts as silent: −93 dBFS.
  static var silence: Float {
    @_noLocks @_noAllocation get { 5e-10 }
  }
  /// The sides differ, or did within the ring.
  private(set) var isStereo = false
  /// There is something above `speechBins`, or was within the ring.
  private(set) var isWideBand = false
  /// There is nothing in the ring.
  var isSilent: Bool {
    @_noLocks @_noAllocation get { silentHops > layout.slots }
  }
  private var silentHops: Int
  private var narrowHops: Int
  private var sameHops: Int

  private let layout: FilterLayout
  private let transform: FourierTransform
  /// The newest `transform` samples of each channel.
  private let samples: UnsafeMutablePointer<Float>
  private let spectrum: SplitSpectrum
  /// `channels` rings of `slots` spectra, the adapted bins alone.
  private let ring: UnsafeMutablePointer<Float>
  /// By slot: the second channel is the first, and has no spectrum of its own.
  private let isMono: UnsafeMutablePointer<Bool>
  /// The slot of the newest spectrum.
  private(set) var newest = 0

  init(layout: FilterLayout) {
    self.layout = layout
    (silentHops, narrowHops, sameHops) = (layout.slots + 1, layout.slots + 1, layout.slots + 1)
    let channels = Self.channels
    transform = FourierTransform(length: layout.transform)
    samples = .silence(channels * layout.transform)
    spectrum = .silence(layout.allBins)
    ring = .silence(channels * layout.slots * 2 * layout.bins)
    isMono = .allocate(capacity: layout.slots)
    isMono.initialize(repeating: true, count: layout.slots)
  }

  deinit {
    samples.deallocate()
    spectrum.deallocate()
    ring.deallocate()
    isMono.deallocate()
  }

  /// Takes a hop of everything in. `right` may be `left`.
  @_noLocks @_noAllocation
  mutating func feed(left: UnsafePointer<Float>, right: UnsafePointer<Float>, excess: UnsafePointer<Float>) {
    advance()
    var power: Float = 0, difference: Float = 0
    for i in 0..<layout.hop {
      power += left[i] * left[i] + right[i] * right[i]
      difference += (left[i] - right[i]) * (left[i] - right[i])
    }
    silentHops = power > 2 * Self.silence * Float(layout.hop) ? 0 : silentHops + 1
    sameHops = difference > 1e-5 * power + 1e-12 ? 0 : sameHops + 1
    if isSilent {
      // Nothing reads the ring until something is heard; what is in it then is silence.
      silentHops = layout.slots + 1
    }
    keep(left, channel: 0)
    analyze(channel: 0)
    watchWidth(power: power)
    keep(right, channel: 1)
    // A transform holds eight hops.
    isMono[newest] = sameHops > 8
    if !isMono[newest] { analyze(channel: 1) }
    isStereo = sameHops <= layout.slots + 8
    keep(excess, channel: 2)
    analyze(channel: 2)
  }

  /// Takes a hop of silence in where there is nothing but silence in the ring.
  @_noLocks @_noAllocation
  mutating func rest() { advance() }

  @_noLocks @_noAllocation
  private mutating func advance() { newest = newest + 1 == layout.slots ? 0 : newest + 1 }

  @_noLocks @_noAllocation
  private mutating func watchWidth(power: Float) {
    let slot = self.slot(newest, channel: 0)
    let high = energy(of: slot, bins: layout.speechBins..<layout.bins)
    let all = high + energy(of: slot, bins: 0..<layout.speechBins) + 1e-9
    // −55 dB of everything, and −90 dBFS.
    narrowHops = high > 3e-6 * all && high > 1e-9 * Float(layout.transform * layout.transform) ? 0 : min(narrowHops + 1, layout.slots + 1)
    isWideBand = narrowHops <= layout.slots
  }

  @_noLocks @_noAllocation
  private func energy(of slot: UnsafePointer<Float>, bins: Range<Int>) -> Float {
    let re = slot + bins.lowerBound, im = re + layout.bins
    return Float(bins.count) * (meanSquare(re, frames: bins.count) + meanSquare(im, frames: bins.count))
  }

  /// The spectrum of `age` hops ago, 0 is the newest: `bins` real parts, `bins` imaginary ones.
  @_noLocks @_noAllocation
  func spectrum(age: Int, channel: Int) -> UnsafePointer<Float> {
    let index = newest - age < 0 ? newest - age + layout.slots : newest - age
    return UnsafePointer(slot(index, channel: channel == 1 && isMono[index] ? 0 : channel))
  }

  @_noLocks @_noAllocation
  private mutating func keep(_ hop: UnsafePointer<Float>, channel: Int) {
    push(hop, frames: layout.hop, onto: samples + channel * layout.transform, length: layout.transform)
  }

  @_noLocks @_noAllocation
  private mutating func analyze(channel: Int) {
    transform.forward(samples + channel * layout.transform, into: spectrum)
    let slot = self.slot(newest, channel: channel)
    copy(spectrum.re, to: slot, frames: layout.bins)
    copy(spectrum.im, to: slot + layout.bins, frames: layout.bins)
  }

  @_noLocks @_noAllocation
  private func slot(_ index: Int, channel: Int) -> UnsafeMutablePointer<Float> {
    ring + (channel * layout.slots + index) * 2 * layout.bins
  }
}
