internal import CRealtime

/// Records what the network is to learn from: its inputs, as the suppressor computes them, beside the spectra of what it hears, the rules'
/// gains, and what should be heard. Only `Training/` uses it. [any], on one thread.
package struct TrainingRecorder: ~Copyable {
  /// Frames of a hop.
  package let hop: Int
  /// Hops from one record to the next: the network runs as often.
  package static var period: Int { LearnedGains.period }
  /// Values of the network's input, and bins of each of the spectra below 8 kHz, which are every second one of the suppressor's.
  package static var inputs: Int { NetworkFeatures.count }
  package let bins: Int
  /// Values of a record: whether the network ran; its inputs; magnitudes of the residual, of the near end, and of near end and noise; the
  /// near end's part that is in phase with the residual; log2 of the rules' gains, with and without noise suppression.
  package var count: Int { 1 + Self.inputs + 6 * bins }

  private var linear: LinearCanceller
  private var suppressor: Suppressor
  private let window: AsymmetricWindow
  private let transform: FourierTransform
  private let windows: SlidingWindows
  private var highPass: [Biquad]
  private var dcBlocker: Biquad
  private var delays: Delays
  private let residual, near, noisy: Spectrum
  private let power, filtered, voice, open: Samples
  private var hops = 0

  /// The three signals of the microphone's side.
  private struct Delays: ~Copyable {
    var microphone, near, noisy: BlockDelay
  }

  package init(rate: Int) {
    let layout = FilterLayout(rate: rate)
    hop = layout.hop
    let linear = LinearCanceller(layout: layout)
    let longest = linear.farEndDelay
    func delay() -> BlockDelay { BlockDelay(longest: longest, block: layout.hop) }
    delays = Delays(microphone: delay(), near: delay(), noisy: delay())
    bins = min(layout.transform / 4 + 1, Int(8000 / (2 * layout.binWidth)) + 1)
    suppressor = Suppressor(layout: layout, transform: linear.transform)
    transform = FourierTransform(sharing: linear.transform)
    self.linear = linear
    window = AsymmetricWindow(layout: layout)
    windows = SlidingWindows(count: 3, length: layout.suppressorWindow, block: layout.hop)
    highPass = Array(repeating: .rumble(rate: rate), count: 3)
    dcBlocker = .dcBlocker(rate: rate)
    let padded = (layout.allBins + 15) / 16 * 16
    residual = Spectrum(padded)
    near = Spectrum(padded)
    noisy = Spectrum(padded)
    power = Samples(padded + 16)
    filtered = Samples(layout.hop)
    voice = Samples(layout.hop)
    open = Samples(layout.hop)
  }

  /// Processes one hop of microphone, far end, near end, and near end and noise. Returns true if it has written `count` values.
  package mutating func process(
    _ microphone: UnsafePointer<Float>, far: UnsafePointer<Float>, near: UnsafePointer<Float>, noisy: UnsafePointer<Float>,
    into record: UnsafeMutablePointer<Float>
  ) -> Bool {
    let mode = rt_flush_denormals()
    defer { rt_restore_denormals(mode) }
    highPass[0].process(microphone, into: filtered.start, frames: hop)
    delays.microphone.push(filtered.start)
    highPass[1].process(near, into: filtered.start, frames: hop)
    delays.near.push(filtered.start)
    highPass[2].process(noisy, into: filtered.start, frames: hop)
    delays.noisy.push(filtered.start)
    dcBlocker.process(far, into: filtered.start, frames: hop)
    linear.process(delays.microphone.late(by: linear.farEndDelay), left: filtered.start, right: filtered.start)
    let hop = linear.hop()
    suppressor.process(hop, residual: hop.residual, echoShare: 1, noiseShare: 1, into: voice.start, open: open.start)
    windows.push(hop.residual, onto: 0)
    windows.push(delays.near.late(by: linear.farEndDelay), onto: 1)
    windows.push(delays.noisy.late(by: linear.farEndDelay), onto: 2)
    hops += 1
    // The network has run in this hop, or in the one before.
    if hops % Self.period != 0 { return false }
    analyze(window: 0, into: residual)
    analyze(window: 1, into: self.near)
    analyze(window: 2, into: self.noisy)
    record[0] = suppressor.learned.isAtRest ? 0 : 1
    copy(suppressor.learned.inputs, to: record + 1, frames: Self.inputs)
    write(into: record + 1 + Self.inputs)
    return true
  }

  private func analyze(window index: Int, into spectrum: borrowing Spectrum) {
    transform.analyze(
      windows[index], window: window.analysis.start, count: window.length, into: spectrum.parts, power: power.start, scale: window.scale)
  }

  /// Magnitudes are relative to a noise with a power of 1.
  private func write(into record: UnsafeMutablePointer<Float>) {
    let unit = (window.scale / Float(hop)).squareRoot()
    let (residual, near, noisy) = (residual.parts, near.parts, noisy.parts)
    for i in 0..<bins {
      let k = 2 * i
      let magnitude = residual.power(k).squareRoot()
      record[i] = unit * magnitude
      record[bins + i] = unit * near.power(k).squareRoot()
      record[2 * bins + i] = unit * noisy.power(k).squareRoot()
      let product = near.re[k] * residual.re[k] + near.im[k] * residual.im[k]
      record[3 * bins + i] = unit * product / max(magnitude, 1e-20)
      record[4 * bins + i] = 1.44269504 * rt_logf(max(suppressor.memory.gain[k], 1e-6))
      record[5 * bins + i] = 1.44269504 * rt_logf(max(suppressor.echoOnly.memory.gain[k], 1e-6))
    }
  }
}
