internal import CKernels
internal import CRealtime

/// Removes residual echo and noise in one short-time Fourier transform under an `AsymmetricWindow`. `nearend_suppress` names the sources of
/// the gains, which `LearnedGains` corrects while the far end may be heard. Delay: one hop. Cost: 2.5 transforms a hop, 3 while the echo is
/// kept, 2 while the far end is silent, and another while `open` is taken; and `HarmonicComb`. [realtime] except `init` and `deinit`.
struct Suppressor: ~Copyable {
  private let hop: Int
  /// A hop's share of the filter's window.
  private let hopShare: Float
  /// Converts a sum of powers by bin to a mean square: the window's scale makes a bin's power that of a hop's transform, of which half of
  /// the bins are summed.
  private let binShare: Float
  private let bins: JoinedBins
  /// Bins of the transform.
  private let allBins: Int
  /// Bins in which the filter estimates an echo, and those in which the suppressor takes one for possible.
  private let filterBins, estimatedBins: Int
  private let transform: FourierTransform
  private let window: AsymmetricWindow
  /// Windows of the residual and of the estimated echo.
  private let windows: SlidingWindows
  /// Of a single microphone, it is not run.
  private var beamformer: Beamformer
  private let spectrum, echoSpectrum: Spectrum
  /// By bin of the transform, and zero beyond: powers that are about to be joined, and an array's further microphones' uncertainty.
  private let unjoined, furtherUncertainty: Samples
  /// The residual's power by bin, and `powerMargin` floats before and after it, which the kernel reads.
  private let paddedPower: Samples
  private let power: UnsafeMutablePointer<Float>
  private let echoPower, uncertainty: Samples
  private let bandEdges: SuppressorBandEdges
  private let bands: SuppressorBands
  /// One hop's powers by band.
  private let errorBands, echoBands, noiseBands: Samples
  let memory: SuppressorMemory
  private let overlap: OverlapAdd
  private let phases: Spectrum
  private var residualEcho: ResidualEcho
  private var presence: NearEndPresence
  let echoOnly: EchoOnlyPass
  private(set) var learned: LearnedGains
  private var comb: HarmonicComb
  private let settlingMemory, settledMemory: Float
  private let tuning: Tuning.Suppressor
  /// Mean square up to which the microphone counts as closed.
  private let closed: Float
  /// What remains per hop; see `nearend_suppression`.
  private let cleanMemory, gainMemory, speechMemory, powerMemory: Float
  private let settlingHops, unheardHops: Int
  /// Fades in what is heard after `unheardHops`.
  private var beginning: Crossfade
  /// Hops in a window of minimum statistics.
  private let noiseWindowHops: Int
  private var hops = 0
  /// Hops for which the window of the estimated echo is not silent.
  private var echoHops = 0
  private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

  private let phaseCount = 1024
  private let powerMargin = 8

  /// - Parameters:
  ///   - microphones: 1…8.
  ///   - transform: as long as the filter's; its plan is shared.
  init(layout: FilterLayout, tuning: Tuning = .standard, microphones: Int = 1, transform: borrowing FourierTransform) {
    let own = tuning.suppressor
    (self.tuning, closed) = (own, tuning.microphone.closed)
    hop = layout.hop
    hopShare = Float(layout.hop) / Float(layout.window)
    binShare = 1 / Float(layout.hop * (layout.allBins - 1))
    let window = AsymmetricWindow(layout: layout)
    comb = HarmonicComb(layout: layout, window: window, tuning: tuning.harmonicComb)
    self.window = window
    let bins = JoinedBins(layout: layout)
    (self.bins, allBins) = (bins, layout.allBins)
    filterBins = layout.bins
    estimatedBins = layout.estimatedBins
    self.transform = FourierTransform(sharing: transform)
    windows = SlidingWindows(count: 2, length: layout.suppressorWindow, block: hop)
    overlap = OverlapAdd(layout: layout)
    spectrum = Spectrum(bins.covered)
    echoSpectrum = Spectrum(bins.covered)
    beamformer = Beamformer(count: microphones, layout: layout, tuning: tuning, padded: bins.covered)
    unjoined = Samples(bins.covered)
    furtherUncertainty = Samples(bins.covered)
    paddedPower = Samples(bins.count + 2 * powerMargin)
    power = paddedPower + powerMargin
    echoPower = Samples(bins.count)
    uncertainty = Samples(bins.count)
    memory = SuppressorMemory(bins: bins.count)
    phases = Spectrum(phaseCount + bins.covered)
    for i in 0..<phaseCount + bins.covered {
      let phase = 2 * .pi * Self.next(&random)
      (phases.re[i], phases.im[i]) = (rt_cosf(phase), rt_sinf(phase))
    }
    bandEdges = SuppressorBandEdges(layout: layout, estimated: estimatedBins, bins: bins)
    let bands = bandEdges.bands
    self.bands = bands
    errorBands = Samples(bands.padded)
    echoBands = Samples(bands.padded)
    noiseBands = Samples(bands.padded)
    residualEcho = ResidualEcho(layout: layout, tuning: tuning, bands: bands, bins: bins.count)
    presence = NearEndPresence(layout: layout, tuning: tuning.nearEndPresence, bands: bands, bins: bins.count)
    learned = LearnedGains(layout: layout, tuning: tuning.learnedGains, bins: bins.count)
    echoOnly = EchoOnlyPass(layout: layout, bins: bins)
    settlingMemory = layout.perHop(own.noiseAtFirst)
    settledMemory = layout.perHop(own.noise)
    (cleanMemory, gainMemory) = (layout.perHop(own.clean), layout.perHop(own.gain))
    (speechMemory, powerMemory) = (layout.perHop(own.speech), layout.perHop(own.power))
    settlingHops = layout.hops(own.settling)
    unheardHops = layout.hops(own.unheard)
    beginning = Crossfade(frames: layout.hop * unheardHops, weight: 1)
    noiseWindowHops = layout.hops(own.noiseWindow)
  }

  /// Mean square of the room's noise, as estimated before the newest hop.
  private(set) var noisePower: Float = 0

  /// Mean square of what the rules alone would have left of the newest hop, if the network has corrected it; otherwise negative.
  private(set) var uncorrectedPower: Float = -1

  /// The probability that the near end is heard, 0…1.
  var nearEndPresence: Float {
    @_noLocks @_noAllocation get { presence.overall }
  }

  /// Resumes after a pause without a consumer of the voice.
  @_noLocks @_noAllocation
  mutating func resume() {
    learned.rest()
    comb.rest()
  }

  /// Reports that the main microphone and a further one have changed places.
  @_noLocks @_noAllocation
  mutating func changePlaces(ofFirstAnd place: Int) { beamformer.changePlaces(ofFirstAnd: place) }

  /// Processes one hop.
  ///
  /// - Parameters:
  ///   - linear: what the linear canceller tells of the hop.
  ///   - newest: what is heard of its residual.
  ///   - linearERLE: how far it reduces the echo, in dB; NaN if unknown.
  ///   - echoShare: share of the residual echo to suppress, 0…1.
  ///   - noiseShare: share of the noise to suppress, 0…1.
  ///   - open: receives the voice without noise suppression; nil if unused.
  ///   - others: the further microphones; nil if there are none.
  ///   - beamforms: whether they are heard.
  @_noLocks @_noAllocation
  mutating func process(
    _ linear: LinearHop, residual newest: UnsafePointer<Float>, linearERLE: Float = .nan, echoShare: Float, noiseShare: Float,
    into output: UnsafeMutablePointer<Float>, open: UnsafeMutablePointer<Float>? = nil, others: UnsafePointer<ArrayHop>? = nil,
    beamforms: Bool = true
  ) {
    hops += 1
    let state = linear.state
    windows.push(newest, onto: 0)
    analyze(window: 0, into: spectrum.parts)
    bins.join(unjoined.start, into: power)
    if let others {
      beamform(others, state, echoShare: echoShare, isOn: beamforms)
      if !beamformer.isPassing { bins.join(unjoined.start, into: power) }
    }
    // The first sound is noise, unless it may be echo: of that a filter that has just begun leaves much, which would be heard as comfort
    // noise for seconds.
    if hops == 1 { for k in 0..<bins.count { memory.noise[k] = (state.isFarEndSilent ? power[k] : 0) + 1e-10 } }
    // The minima from before a microphone was closed are echo's as well as noise's, and would count as noise once no echo is expected.
    if meanSquare(newest, frames: hop) <= closed, isClosed(others) { memory.forgetMinima() }
    let isGuarded = state.isGuarded && echoShare == 1
    bands.sum(power, into: errorBands.start)
    bands.sum(memory.noise.start, into: noiseBands.start)
    noisePower = tuning.noisePeaks * binShare * bins.sum(memory.noise.start)
    // Once the echo's window is silent, no echo is expected.
    if !state.isFarEndSilent { echoHops = window.length / hop + 1 }
    if echoHops > 0 {
      echoHops -= 1
      takeEcho(linear, others)
      residualEcho.update(
        SuppressorHop(
          bins: SuppressorHop.Bins(error: power, echo: echoPower.start, uncertainty: uncertainty.start),
          bands: SuppressorHop.Bands(error: errorBands.start, noise: noiseBands.start),
          repaired: tuning.unknownOfRepair * Float(hop) * linear.repairedPower, presence: presence.overall, isGuarded: isGuarded,
          canceller: state))
      if isGuarded { for k in 0..<bins.count { residualEcho.power[k] = max(residualEcho.power[k], power[k]) } }
      if echoShare < 1 { for k in 0..<bins.count { residualEcho.power[k] *= echoShare } }
      bands.sum(residualEcho.power.start, into: echoBands.start)
      if echoShare == 1 { correct(linear, linearERLE: linearERLE) } else { learned.rest() }
    } else if !residualEcho.isAtRest {
      learned.rest()
      residualEcho.rest()
      bands.sum(residualEcho.power.start, into: echoBands.start)
    }
    presence.update(
      error: errorBands.start, echo: echoBands.start, noise: noiseBands.start, isGuarded: isGuarded, isFarEndSilent: state.isFarEndSilent)
    suppress(noiseShare: noiseShare, isFarEndSilent: state.isFarEndSilent, isCorrected: echoShare == 1, open: open)
    overlap.add(spectrum.parts, transform: transform, window: window.synthesis.start, into: output)
    begin(isUnheard: hops <= unheardHops && !state.isFarEndSilent && echoShare == 1, output, open)
  }

  @_noLocks @_noAllocation
  private mutating func begin(isUnheard: Bool, _ output: UnsafeMutablePointer<Float>, _ open: UnsafeMutablePointer<Float>?) {
    if isUnheard { beginning.restart() }
    if let open {
      var same = beginning
      same.apply(to: open, frames: hop, isOn: !isUnheard)
    }
    beginning.apply(to: output, frames: hop, isOn: !isUnheard)
  }

  @_noLocks @_noAllocation
  private mutating func correct(_ linear: LinearHop, linearERLE: Float) {
    if !learned.isDue { return learned.keep() }
    learned.decide(
      linear, residual: spectrum.parts, residualPower: power, echo: echoSpectrum.parts, echoPower: echoPower.start,
      powerScale: window.scale, formerGain: memory.gain.start, linearERLE: linearERLE, isBeam: !beamformer.isPassing)
  }

  /// Whether the further microphones are heard.
  var isBeamHeard: Bool {
    @_noLocks @_noAllocation get { !beamformer.isPassing }
  }

  @_noLocks @_noAllocation
  private mutating func beamform(
    _ others: UnsafePointer<ArrayHop>, _ state: CancellerState, echoShare: Float, isOn: Bool
  ) {
    // As expected of the hop before.
    let expected = bins.sum(residualEcho.power.start), room = bins.sum(memory.noise.start), heard = bins.sum(power) + 1e-12
    beamformer.process(
      others, main: spectrum.parts, power: unjoined.start, transform: transform, window: window,
      echoShare: state.isFarEndSilent ? nil : expected / (expected + room), explained: (expected + room) / heard,
      nearEnd: presence.overall,
      learns: state.isFarEndSilent || echoShare == 1, isOn: isOn)
  }

  /// Takes what is known of the echo; of an array, combined as the microphones are.
  @_noLocks @_noAllocation
  private mutating func takeEcho(_ linear: LinearHop, _ others: UnsafePointer<ArrayHop>?) {
    windows.push(linear.echo, onto: 1)
    if let others { beamformer.take(echoesOf: others) }
    // The estimated echo is looked at as often as the network does.
    if learned.isDue {
      analyze(window: 1, into: echoSpectrum.parts)
      if others != nil {
        beamformer.processEcho(main: echoSpectrum.parts, power: unjoined.start, transform: transform, window: window)
      }
      bins.join(unjoined.start, into: echoPower.start)
    }
    scale(linear.uncertainty, to: unjoined.start)
    if let others, !beamformer.isPassing {
      beamformer.weighMain(unjoined.start, scale: window.scale)
      for i in 0..<others.pointee.count {
        scale(others.pointee.uncertainty(i), to: furtherUncertainty.start)
        beamformer.add(furtherUncertainty.start, of: i, to: unjoined.start, scale: window.scale)
      }
    }
    bins.join(unjoined.start, into: uncertainty.start)
  }

  @_noLocks @_noAllocation
  private mutating func isClosed(_ others: UnsafePointer<ArrayHop>?) -> Bool {
    guard let others else { return true }
    return beamformer.isClosed(others, frames: hop, closed: closed)
  }

  /// Writes the spectrum of a window, and its power to `unjoined`.
  // Never inlined, so that profiles tell this stage apart. `mutating`: Swift 6.3 copies the structure for a method that is not.
  @inline(never) @_noLocks @_noAllocation
  private mutating func analyze(window index: Int, into spectrum: SplitSpectrum) {
    transform.analyze(
      windows[index], window: window.analysis.start, count: window.length, into: spectrum, power: unjoined.start, scale: window.scale)
    // The kernel has written comfort noise there, and a beam would make it a power.
    clear(spectrum.re + allBins, frames: bins.covered - allBins)
    clear(spectrum.im + allBins, frames: bins.covered - allBins)
  }

  /// Converts the filter's uncertainty, of the power of its window, to that of a hop.
  // `mutating`: as `analyze`.
  @_noLocks @_noAllocation
  private mutating func scale(_ filter: UnsafePointer<Float>, to uncertainty: UnsafeMutablePointer<Float>) {
    for k in stride(from: 0, to: filterBins, by: 8) { store8(hopShare * load8(filter + k), to: uncertainty + k) }
    if estimatedBins > filterBins { uncertainty[filterBins] = uncertainty[filterBins - 1] }
    clear(uncertainty + estimatedBins, frames: bins.covered - estimatedBins)
  }

  @_noLocks @_noAllocation
  private mutating func suppress(noiseShare: Float, isFarEndSilent: Bool, isCorrected: Bool, open: UnsafeMutablePointer<Float>?) {
    let talking = presence.overall
    // Unless the near end surely talks, what stands out while the far end is heard is residual echo.
    let certainty = max(2 * talking - 1, 0)
    let first = Int(Self.next(&random) * Float(phaseCount - 1))
    var kernel = nearend_suppression(
      bins: Int32(bins.count), single: Int32(bins.single), power: power, hasEcho: !residualEcho.isAtRest, echo: residualEcho.power.start,
      presence: presence.byBin.start, noise: memory.noise.start, speech: memory.speech.start, clean: memory.clean.start,
      gain: memory.gain.start,
      phaseRe: phases.re + first, phaseIm: phases.im + first, comfort: window.comfort,
      echoFloor: rt_expf(talking * tuning.echoFloorTalking + (1 - talking) * tuning.echoFloorSilent),
      noiseFloor: rt_powf(tuning.noiseFloor, noiseShare), noiseShare: noiseShare,
      noiseMemory: hops > settlingHops ? settledMemory : settlingMemory,
      cleanMemory: cleanMemory, gainMemory: gainMemory, speechMemory: speechMemory, powerMemory: powerMemory,
      smoothed: memory.smoothed.start, least: memory.least.start, most: memory.most.start, formerLeast: memory.formerLeast.start,
      beginsWindow: hops % noiseWindowHops == 0,
      steadiness: tuning.steadiness, isFarEndSilent: isFarEndSilent,
      noiseWeight: tuning.noiseWeight, leastRatio: tuning.leastRatio, speechRatio: tuning.speechRatio, noiseOdds: tuning.noiseOdds,
      ownOdds: tuning.ownOdds, mostSpeech: tuning.mostSpeech, echoOverNoise: tuning.echoOverNoise, leastNearEnd: tuning.leastNearEnd,
      ownEvidence: isFarEndSilent ? 1 : certainty * certainty, isCorrected: isCorrected,
      octaves: noiseShare == 1 ? learned.voice.start : learned.open.start)
    if let open {
      echoOnly.take(spectrum.parts, noise: memory.noise.start)
      echoOnly.process(kernel, octaves: learned.open.start, transform: transform, window: window.synthesis.start, into: open)
    }
    // The past of a beam is not known.
    let hasHarmonics = kernel.hasEcho && isCorrected && beamformer.isPassing
    if hasHarmonics { comb.take(windows[0], spectrum.parts) } else { comb.rest() }
    nearend_suppress(&kernel, spectrum.re, spectrum.im)
    if hasHarmonics { comb.strengthen(spectrum.parts) }
    uncorrectedPower = -1
    if !kernel.hasEcho || !isCorrected { return }
    uncorrectedPower = binShare * bins.sum(power, gains: memory.gain.start)
  }

  /// Returns a pseudorandom number in 0..<1; the sequence is always the same (Marsaglia's xorshift, 2003).
  @_noLocks @_noAllocation
  private static func next(_ state: inout UInt64) -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(state >> 40) / 16_777_216
  }
}
