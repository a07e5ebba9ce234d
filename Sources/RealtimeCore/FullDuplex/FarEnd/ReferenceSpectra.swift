internal import CRealtime

/// Keeps the history of the far end that echo may come from: a ring of spectra, one per hop (overlap-save, see `FilterLayout`). Cost: two
/// transforms a hop in mono, of the far end and of saturation, and three in stereo. [realtime] except `init` and `deinit`.
struct ReferenceSpectra: ~Copyable {
  /// Channels: left (or mono), right, and the saturation component.
  static var channels: Int {
    @_noLocks @_noAllocation get { 3 }
  }
  /// Channels that hold what is played, the first ones. Saturation has no bins above `speechBins`, and is not searched for the echo.
  static var sides: Int {
    @_noLocks @_noAllocation get { 2 }
  }
  /// Hops that a transform holds.
  private static var hopsOfTransform: Int {
    @_noLocks @_noAllocation get { 8 }
  }
  /// A Boolean value indicating whether the sides differ anywhere in the ring.
  private(set) var isStereo = false
  /// A Boolean value indicating whether the ring holds anything above `speechBins`.
  private(set) var isWideBand = false
  /// A Boolean value indicating whether the ring holds only silence.
  var isSilent: Bool {
    @_noLocks @_noAllocation get { silentHops > layout.slots }
  }
  /// Consecutive silent hops, capped in silence.
  private var silentHops: Int
  /// Slots since the far end's last gap, at most `slots`; older ones count as silent, whatever they hold.
  private var liveHops: Int
  /// Consecutive hops with nothing above `speechBins`, and with equal sides.
  private var narrowHops: Int
  private var sameHops: Int

  /// What either side excites.
  private(set) var excitation: Excitation

  private let layout: FilterLayout
  private let tuning: Tuning.ReferenceSpectra
  private let transform: FourierTransform
  /// The newest `transform` samples of each channel.
  private let samples: SlidingWindows
  /// `channels` rings of `slots` spectra; adapted bins only.
  private let ring: Samples
  /// The bins of each side's spectrum that `DelayScout` reads, contiguous: from `ring`, a third of the bins would touch every cache line.
  private let scoutRing: Samples
  /// By slot: whether the sides are identical, so that the second shares the first one's spectrum.
  private let isMono: Buffer<Bool>
  /// A spectrum of silence, for either ring.
  private let nothing: Samples
  /// Scratch memory of `delay(by:)`.
  private let shifted: Samples
  /// The slot of the newest spectrum.
  private(set) var newest = 0

  /// - Parameter transform: of `layout.transform` samples.
  init(layout: FilterLayout, tuning: Tuning = .standard, transform: borrowing FourierTransform) {
    self.layout = layout
    self.tuning = tuning.referenceSpectra
    excitation = Excitation(layout: layout, tuning: tuning.excitation)
    (silentHops, narrowHops, sameHops) = (layout.slots + 1, layout.slots + 1, layout.slots + Self.hopsOfTransform + 1)
    liveHops = layout.slots
    let channels = Self.channels
    self.transform = FourierTransform(sharing: transform)
    samples = SlidingWindows(count: channels, length: layout.transform, block: layout.hop)
    ring = Samples(channels * layout.slots * 2 * layout.bins)
    scoutRing = Samples(Self.sides * layout.slots * 2 * layout.paddedScoutBins)
    nothing = Samples(2 * layout.bins)
    shifted = Samples(layout.transform)
    isMono = Buffer(repeating: true, count: layout.slots)
  }

  /// Feeds one hop of all channels. `right` may be `left`.
  @_noLocks @_noAllocation
  mutating func feed(left: UnsafePointer<Float>, right: UnsafePointer<Float>, excess: UnsafePointer<Float>) {
    advance()
    liveHops = min(liveHops + 1, layout.slots)
    var powers = SIMD8<Float>.zero, differences = SIMD8<Float>.zero
    for i in stride(from: 0, to: layout.hop, by: 8) {
      let l = load8(left + i), r = load8(right + i), d = l - r
      powers += l * l + r * r
      differences += d * d
    }
    let power = powers.sum(), difference = differences.sum()
    silentHops = power > 2 * tuning.silence * Float(layout.hop) ? 0 : silentHops + 1
    sameHops = difference > tuning.sameness * power + 1e-12 ? 0 : sameHops + 1
    if isSilent {
      // Caps the count: a silent ring is not read.
      silentHops = layout.slots + 1
    }
    samples.push(left, onto: 0)
    analyze(channel: 0)
    samples.push(right, onto: 1)
    isMono.start[newest] = sameHops > Self.hopsOfTransform
    if !isMono.start[newest] { analyze(channel: 1) }
    isStereo = sameHops <= layout.slots + Self.hopsOfTransform
    let left = UnsafePointer(slot(newest, channel: 0)), right = isMono.start[newest] ? nil : UnsafePointer(slot(newest, channel: 1))
    watchWidth(left, right)
    excitation.update(left, right)
    samples.push(excess, onto: 2)
    analyze(channel: 2)
  }

  /// Feeds one hop of silence to a ring that holds nothing else. Nothing is written: until they are fed again, all ages count as silent,
  /// also those whose slots still hold the end of the sound before.
  @_noLocks @_noAllocation
  mutating func feedSilence() {
    advance()
    liveHops = 0
  }

  /// Discards the history, which counts as silent from now on.
  @_noLocks @_noAllocation
  mutating func restart() {
    samples.silence()
    excitation.restart()
    liveHops = 0
    silentHops = layout.slots + 1
  }

  /// Delays the whole history by some frames, fewer than a hop. In each spectrum, the newest of them take the place of the oldest: that
  /// concerns only what is predicted from the last taps of a partition, not for the newest hop. What `DelayScout` reads is not delayed,
  /// because it looks for whole partitions. Cost: a transform's samples, and a complex multiplication for each bin of the history.
  @_noLocks @_noAllocation
  func delay(by frames: Int) {
    for channel in 0..<Self.channels {
      copy(samples[channel], to: shifted + frames, frames: layout.transform - frames)
      clear(shifted.start, frames: frames)
      for start in stride(from: 0, to: layout.transform, by: layout.hop) { samples.push(shifted + start, onto: channel) }
    }
    let step = 2 * Float.pi * Float(frames) / Float(layout.transform)
    for k in 0..<layout.bins {
      shifted[k] = rt_cosf(step * Float(k))
      shifted[layout.bins + k] = -rt_sinf(step * Float(k))
    }
    for age in 0..<liveHops {
      for channel in 0..<Self.channels {
        let place = place(age: age, channel: channel)
        if place.channel != channel { continue }
        let re = slot(place.slot, channel: channel), im = re + layout.bins
        for k in stride(from: 0, to: layout.bins, by: 8) {
          let r = load8(re + k), i = load8(im + k), c = load8(shifted + k), s = load8(shifted + layout.bins + k)
          store8(r * c - i * s, to: re + k)
          store8(r * s + i * c, to: im + k)
        }
      }
    }
  }

  @_noLocks @_noAllocation
  private mutating func advance() { newest = newest + 1 == layout.slots ? 0 : newest + 1 }

  @_noLocks @_noAllocation
  private mutating func watchWidth(_ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>?) {
    var high = treble(of: left), low = energy(of: left, bins: 0..<layout.speechBins)
    if let right {
      high += treble(of: right)
      low += energy(of: right, bins: 0..<layout.speechBins)
    }
    let all = high + low + 1e-9
    let isWide = high > tuning.trebleShare * all && high > tuning.treble * Float(layout.transform * layout.transform)
    narrowHops = isWide ? 0 : min(narrowHops + 1, layout.slots + 1)
    isWideBand = narrowHops <= layout.slots
  }

  /// Returns a spectrum's energy above `speechBins`.
  @_noLocks @_noAllocation
  private func treble(of spectrum: UnsafePointer<Float>) -> Float {
    let first = spectrum + layout.speechBins, count = layout.bins - layout.speechBins
    return Self.windowedEnergy(first, bins: count) + Self.windowedEnergy(first + layout.bins, bins: count)
  }

  /// Returns the energy in the given bins under a Hann window, divided by the window's power gain: without a window, low frequencies leak
  /// into high bins.
  @_noLocks @_noAllocation
  private static func windowedEnergy(_ part: UnsafePointer<Float>, bins: Int) -> Float {
    var sum = SIMD8<Float>.zero
    // The last bins are left out, because their neighbours are beyond the part.
    for k in stride(from: 0, to: bins - 8, by: 8) {
      let x = hann8(part + k)
      sum += x * x
    }
    return sum.sum() / hannGain
  }

  @_noLocks @_noAllocation
  private func energy(of slot: UnsafePointer<Float>, bins: Range<Int>) -> Float {
    let re = slot + bins.lowerBound, im = re + layout.bins
    return Float(bins.count) * (meanSquare(re, frames: bins.count) + meanSquare(im, frames: bins.count))
  }

  /// Returns the spectrum of `age` hops ago, 0 is the newest: `bins` real parts, `bins` imaginary ones; of saturation, only the first
  /// `speechBins` of each are valid.
  @_noLocks @_noAllocation
  func spectrum(age: Int, channel: Int) -> UnsafePointer<Float> {
    if age >= liveHops { return UnsafePointer(nothing.start) }
    let place = place(age: age, channel: channel)
    return UnsafePointer(slot(place.slot, channel: place.channel))
  }

  /// Returns the bins of one side's spectrum that `DelayScout` reads: `paddedScoutBins` real parts, as many imaginary ones, 0 beyond
  /// `scoutBins`.
  @_noLocks @_noAllocation
  func scoutSpectrum(age: Int, channel: Int) -> UnsafePointer<Float> {
    if age >= liveHops { return UnsafePointer(nothing.start) }
    let place = place(age: age, channel: channel)
    return UnsafePointer(scoutSlot(place.slot, channel: place.channel))
  }

  @_noLocks @_noAllocation
  private func place(age: Int, channel: Int) -> (slot: Int, channel: Int) {
    let slot = newest - age < 0 ? newest - age + layout.slots : newest - age
    return (slot, channel == 1 && isMono.start[slot] ? 0 : channel)
  }

  @_noLocks @_noAllocation
  private mutating func analyze(channel: Int) {
    let slot = self.slot(newest, channel: channel), isSide = channel < Self.sides
    transform.forward(samples[channel], re: slot, im: slot + layout.bins, bins: isSide ? layout.bins : layout.speechBins)
    if isSide { SplitSpectrum(re: slot, im: slot + layout.bins).thin(layout, into: scoutSlot(newest, channel: channel)) }
  }

  @_noLocks @_noAllocation
  private func slot(_ index: Int, channel: Int) -> UnsafeMutablePointer<Float> {
    ring + (channel * layout.slots + position(of: index)) * 2 * layout.bins
  }

  @_noLocks @_noAllocation
  private func scoutSlot(_ index: Int, channel: Int) -> UnsafeMutablePointer<Float> {
    scoutRing + (channel * layout.slots + position(of: index)) * 2 * layout.paddedScoutBins
  }

  /// Returns a slot's place in memory, where spectra a partition apart are neighbours, because they are read together.
  @inline(__always) @_noLocks @_noAllocation
  private func position(of index: Int) -> Int {
    index % layout.partitionHops * (layout.slots / layout.partitionHops) + index / layout.partitionHops
  }
}

extension SplitSpectrum {
  /// Copies the bins that `DelayScout` reads: `paddedScoutBins` real parts, as many imaginary ones; those beyond `scoutBins` are left
  /// unchanged.
  @_noLocks @_noAllocation
  func thin(_ layout: FilterLayout, into bins: UnsafeMutablePointer<Float>) {
    let first = layout.firstScoutBin, step = layout.scoutStep, imaginary = bins + layout.paddedScoutBins
    for j in 0..<layout.scoutBins {
      bins[j] = re[first + j * step]
      imaginary[j] = im[first + j * step]
    }
  }
}
