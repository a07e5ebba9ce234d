internal import CRealtime

/// Hears the microphones of an array as one: forms a beam towards the talker, behind the cancellation of each (Kellermann, ICASSP 1997), in
/// the suppressor's transform, so without a delay of its own.
///
///     residuals ─▶ health ─▶ talker? ─▶ covariances of noise, residual echo, talker ─▶ weights ─▶ Σ w* X
///
/// The noise is what is heard while nobody talks, and learnt anew where that proves to have been a voice; the residual echo, while the far
/// end talks and the near end does not. The weights move gradually, and those of a microphone that has died end with the hop in which it
/// does: the windows' overlap fades them. The estimated echoes are combined likewise, and their uncertainties, of errors that have nothing
/// in common, by |w|². `ArrayWeights` names the sources.
/// Cost: a transform a further microphone and hop, half of another while an echo is expected, and some 10 operations a pair of microphones
/// and bin. [realtime] except `init` and `deinit`.
struct Beamformer: ~Copyable {
  /// Microphones, the main one included.
  let count: Int
  /// Whether the main microphone alone is heard, as it is.
  private(set) var isPassing = true

  private let tuning: Tuning.Beamformer
  private let bins, padded: Int
  /// The bins by which the talker is told.
  private let voiceBins: Range<Int>
  /// Windows of the further residuals, and of their echoes.
  private let windows: SlidingWindows
  private let spectra: Samples
  /// Where the spectrum of each microphone begins: the main one's is the suppressor's.
  private let sources: Buffer<UnsafePointer<Float>>
  private let scratch: Samples
  private let weights: Samples
  /// What the filters expect to be left of each microphone's echo, as |X|², smoothed.
  private let uncertainties: Samples
  private var health: MicrophoneHealth
  private var presence: TalkerPresence
  private let noise, echo, talker: SpatialCovariance
  private let solver: ArrayWeights
  private let noiseRate, echoRate, talkerRate, weightStep: Float
  private var hops = 0
  /// Hops of noise that are learnt; and those that are enough.
  private var learnt: Float = 0
  private let enoughNoise: Float
  private let holding: Float
  private var heldShare: Float = 1

  /// - Parameters:
  ///   - count: microphones, 1…8; of one, nothing is to be called.
  ///   - padded: floats of the parts of a spectrum, a multiple of 8.
  init(count: Int, layout: FilterLayout, tuning: Tuning = .standard, padded: Int) {
    let own = tuning.beamformer
    self.count = count
    self.tuning = own
    self.padded = padded
    let width = layout.binWidth, all = layout.transform / 2
    bins = min(all, Int(min(own.highest, Float(layout.rate)) / width)) / 8 * 8
    voiceBins = Int(200 / width)..<min(Int(5_000 / width), all)
    windows = SlidingWindows(count: 2 * max(count - 1, 1), length: layout.suppressorWindow, block: layout.hop)
    spectra = Samples(2 * padded * count)
    sources = Buffer(repeating: UnsafePointer(spectra.start), count: count)
    scratch = Samples(padded)
    weights = Samples(2 * count * padded)
    for k in 0..<padded { weights[k] = 1 }
    uncertainties = Samples(count * padded)
    health = MicrophoneHealth(count: count, layout: layout, tuning: tuning.microphoneHealth)
    presence = TalkerPresence(layout: layout, tuning: tuning.talkerPresence)
    let matrixBins = count > 1 ? bins : 8
    noise = SpatialCovariance(count: count, bins: matrixBins)
    echo = SpatialCovariance(count: count, bins: matrixBins)
    talker = SpatialCovariance(count: count, bins: matrixBins)
    solver = ArrayWeights(count: count, bins: matrixBins, padded: padded, tuning: own)
    noiseRate = 1 - layout.perHop(own.noise)
    echoRate = 1 - layout.perHop(own.echo)
    talkerRate = 1 - layout.perHop(own.talker)
    weightStep = 1 - layout.perHop(own.weights)
    enoughNoise = Float(layout.hops(own.enoughNoise))
    holding = layout.perHop(own.hold)
  }

  /// Follows the main microphone and a further one, which have changed places: who talks, and what is noise, is found out anew, because
  /// what the former main one told may be wrong.
  @_noLocks @_noAllocation
  mutating func changePlaces(ofFirstAnd place: Int) {
    learnt = 0
    presence.restart()
    noise.exchange(place)
    echo.exchange(place)
    talker.exchange(place)
    health.exchange(place)
    solver.exchange(place)
    exchangeValues(weights.start, weights + 2 * place * padded, frames: 2 * padded)
    exchangeValues(uncertainties.start, uncertainties + place * padded, frames: padded)
  }

  /// Replaces the main microphone's spectrum, and its power, by the beam.
  ///
  /// - Parameters:
  ///   - hop: the further microphones.
  ///   - main: the main one's residual as it is heard; the imaginary parts follow the real ones, `padded` after them.
  ///   - echoShare: share of residual echo in all that is expected but the talker, 0…1; nil if the far end is silent.
  ///   - explained: ratio of all that is expected but the talker to what is heard.
  ///   - nearEnd: the probability that the near end is heard, 0…1.
  ///   - learns: whether what is heard is free of echo, but for a residual one.
  @_noLocks @_noAllocation
  mutating func process(
    _ hop: UnsafePointer<ArrayHop>, main: SplitSpectrum, power: UnsafeMutablePointer<Float>, transform: borrowing FourierTransform,
    window: borrowing AsymmetricWindow, echoShare expected: Float?, explained: Float, nearEnd: Float, learns: Bool, isOn: Bool
  ) {
    sources.start[0] = UnsafePointer(main.re)
    health.measure(hop.pointee.main, of: 0)
    for i in 1..<count {
      windows.push(hop.pointee.residual(i - 1), onto: i - 1)
      analyze(i - 1, as: i, transform: transform, window: window)
      health.measure(hop.pointee.microphone(i - 1), of: i)
    }
    let hasDied = health.update()
    learn(echoShare: expected ?? 0, explained: explained, nearEnd: nearEnd, learns: learns)
    let echoShare = hold(expected)
    if !isOn {
      if isPassing { return }
      solver.choose(0, gain: 1)
    } else if hasDied {
      fallBack()
    } else {
      isPassing = false
      solver.solve(
        turn: hops, noise: noise, echo: echo, echoShare: echoShare, noiseTrust: min(1, learnt / enoughNoise),
        uncertainties: expected == nil ? nil : UnsafePointer(uncertainties.start),
        talker: talker, health: health)
    }
    moveWeights(isOn: isOn)
    if isPassing { return }
    combine(into: main, power: power, scale: window.scale)
  }

  /// Takes a hop of the further microphones' estimated echoes.
  @_noLocks @_noAllocation
  func take(echoesOf hop: UnsafePointer<ArrayHop>) {
    for i in 1..<count { windows.push(hop.pointee.echo(i - 1), onto: count - 2 + i) }
  }

  /// Replaces the spectrum of the main microphone's estimated echo, and its power, by that of the beam.
  @_noLocks @_noAllocation
  mutating func processEcho(
    main: SplitSpectrum, power: UnsafeMutablePointer<Float>, transform: borrowing FourierTransform, window: borrowing AsymmetricWindow
  ) {
    if isPassing { return }
    sources.start[0] = UnsafePointer(main.re)
    for i in 1..<count { analyze(count - 2 + i, as: i, transform: transform, window: window) }
    combine(into: main, power: power, scale: window.scale)
  }

  /// Weighs the uncertainty of the main microphone's filter, by bin; `scale`: that of `AsymmetricWindow`.
  @_noLocks @_noAllocation
  func weighMain(_ uncertainty: UnsafeMutablePointer<Float>, scale: Float) {
    note(UnsafePointer(uncertainty), of: 0, scale: scale)
    for k in stride(from: 0, to: padded, by: 8) { store8(squares(of: 0, k) * load8(uncertainty + k), to: uncertainty + k) }
  }

  /// Adds that of a further microphone, weighed, to what `weighMain` made.
  @_noLocks @_noAllocation
  func add(_ uncertainty: UnsafePointer<Float>, of further: Int, to sum: UnsafeMutablePointer<Float>, scale: Float) {
    note(uncertainty, of: further + 1, scale: scale)
    for k in stride(from: 0, to: padded, by: 8) {
      store8(load8(sum + k) + squares(of: further + 1, k) * load8(uncertainty + k), to: sum + k)
    }
  }

  @_noLocks @_noAllocation
  private func note(_ uncertainty: UnsafePointer<Float>, of microphone: Int, scale: Float) {
    let smoothed = uncertainties + microphone * padded, factor = 1 / scale, rate = echoRate
    for k in stride(from: 0, to: bins, by: 8) {
      let u = load8(smoothed + k), newest: SIMD8<Float> = factor * load8(uncertainty + k)
      store8(u + rate * (newest - u), to: smoothed + k)
    }
  }

  /// Whether every microphone is silent.
  @_noLocks @_noAllocation
  func isClosed(_ hop: UnsafePointer<ArrayHop>, frames: Int, closed: Float) -> Bool {
    for i in 0..<count - 1 where meanSquare(hop.pointee.residual(i), frames: frames) > closed { return false }
    return true
  }

  @_noLocks @_noAllocation
  private func squares(of microphone: Int, _ k: Int) -> SIMD8<Float> {
    let re = load8(weights + 2 * microphone * padded + k), im = load8(weights + (2 * microphone + 1) * padded + k)
    return re * re + im * im
  }

  @_noLocks @_noAllocation
  private func analyze(
    _ index: Int, as microphone: Int, transform: borrowing FourierTransform, window: borrowing AsymmetricWindow
  ) {
    let re = spectra + 2 * microphone * padded
    transform.analyze(
      windows[index], window: window.analysis.start, count: window.length, into: SplitSpectrum(re: re, im: re + padded),
      power: scratch.start)
    sources.start[microphone] = UnsafePointer(re)
  }

  @_noLocks @_noAllocation
  private mutating func learn(echoShare: Float, explained: Float, nearEnd: Float, learns: Bool) {
    let reference = sources.start[health.reference], gain = health.referenceGain * health.referenceGain
    var sum: Float = 0
    for k in voiceBins { sum += reference[k] * reference[k] + reference[padded + k] * reference[padded + k] }
    // While the far end talks, a level alone does not tell who is heard.
    let certainty = max(2 * nearEnd - 1, 0), trust = 1 - echoShare * (1 - certainty * certainty)
    let hasFallen = presence.update(power: gain * sum / Float(voiceBins.count), trust: learns ? trust : 0)
    hops += 1
    if hasFallen, noiseLevel() > presence.floor + tuning.excess { learnt = 0 }
    if !learns { return }
    // What is far above all that is expected is no residual echo.
    let known = min(1, tuning.foreign * explained), others = (1 - nearEnd) * (1 - nearEnd) * known * known * known
    let quiet = (1 - echoShare) * (1 - echoShare) * presence.noise, isTrusted = learnt >= enoughNoise
    // A mean at first, whose memory grows up to what it is.
    learnt = min(learnt + quiet, 1 / noiseRate)
    add(rate: quiet / max(learnt, 1), to: noise, burst: isTrusted ? tuning.burst * Float(count - 1) : .infinity)
    add(rate: echoShare * others * echoRate, to: echo)
    add(rate: presence.talker * talkerRate, to: talker)
  }

  /// Returns the level of what was learnt as noise, as `TalkerPresence` measures it.
  @_noLocks @_noAllocation
  private func noiseLevel() -> Float {
    let plane = noise.plane(health.reference, health.reference), voiced = voiceBins.clamped(to: 0..<bins)
    var sum: Float = 0
    for k in voiced { sum += plane[k] }
    return TalkerPresence.level(health.referenceGain * health.referenceGain * sum / Float(max(voiced.count, 1)))
  }

  /// Returns the share of the echo that the weights are to expect. It outlasts pauses between words: weights that forgot the echo there
  /// would leave more of it when it comes again than the suppressor has learnt to expect.
  @_noLocks @_noAllocation
  private mutating func hold(_ echoShare: Float?) -> Float {
    guard let echoShare else {
      heldShare = 1
      return 0
    }
    heldShare = max(echoShare, heldShare * holding)
    return heldShare
  }

  @_noLocks @_noAllocation
  private func add(rate: Float, to covariance: borrowing SpatialCovariance, burst: Float = .infinity) {
    if rate > 1e-5 { covariance.add(UnsafePointer(sources.start), stride: padded, rate: rate, burst: burst) }
  }

  /// Hears one microphone alone, at once: the hop before still has the others, and fades.
  @_noLocks @_noAllocation
  private mutating func fallBack() {
    isPassing = false
    solver.choose(health.reference, gain: health.referenceGain)
    copy(solver.target.start, to: weights.start, frames: 2 * count * padded)
  }

  @_noLocks @_noAllocation
  private mutating func moveWeights(isOn: Bool) {
    let step = weightStep
    var distance = SIMD8<Float>.zero
    for i in stride(from: 0, to: 2 * count * padded, by: 8) {
      let w = load8(weights + i), way: SIMD8<Float> = load8(solver.target + i) - w
      store8(w + step * way, to: weights + i)
      distance += way * way
    }
    if !isOn, distance.sum() < 1e-6 {
      copy(solver.target.start, to: weights.start, frames: 2 * count * padded)
      isPassing = true
    }
  }

  /// Writes Σ w* X, where the first X is what is written.
  @_noLocks @_noAllocation
  private func combine(into main: SplitSpectrum, power: UnsafeMutablePointer<Float>, scale: Float) {
    for k in stride(from: 0, to: padded, by: 8) {
      var re = SIMD8<Float>.zero, im = SIMD8<Float>.zero
      for m in 0..<count {
        let x = sources.start[m] + k, xr = load8(x), xi = load8(x + padded)
        let wr = load8(weights + 2 * m * padded + k), wi = load8(weights + (2 * m + 1) * padded + k)
        re += wr * xr + wi * xi
        im += wr * xi - wi * xr
      }
      store8(re, to: main.re + k)
      store8(im, to: main.im + k)
      store8(scale * (re * re + im * im), to: power + k)
    }
  }
}
