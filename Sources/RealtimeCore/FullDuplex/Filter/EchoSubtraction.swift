/// What is subtracted of both filters' estimates, and what is left: their mixture, as far as it does no harm.
///
///     estimates, residuals ─▶ mixture ─▶ share ─▶ limit ─▶ echo, residual
///
/// Own arrangement; `FilterMix` and `EstimateShare` name their sources. Cost: theirs, and two peaks a hop. [realtime] except `init` and
/// `deinit`.
struct EchoSubtraction: ~Copyable {
  /// The echo estimated in the newest hop, and the residual: the microphone minus it. Overwritten by the next hop.
  private(set) var echo: UnsafePointer<Float>
  private(set) var residual: UnsafePointer<Float>
  private(set) var mix: FilterMix

  private let layout: FilterLayout
  private let tuning: Tuning.EchoSubtraction
  private var share: EstimateShare
  /// The newest hop of a residual that exceeds its limit.
  private let limited: Samples

  init(layout: FilterLayout, tuning: Tuning = .standard) {
    self.layout = layout
    self.tuning = tuning.echoSubtraction
    mix = FilterMix(layout: layout, tuning: tuning.filterMix)
    share = EstimateShare(layout: layout, tuning: tuning.estimateShare)
    limited = Samples(layout.hop)
    (echo, residual) = (UnsafePointer(limited.start), UnsafePointer(limited.start))
  }

  /// Whether the fast filter leaves clearly less than the careful one.
  var needsFast: Bool {
    @_noLocks @_noAllocation get { mix.benefit > tuning.needed }
  }

  /// Processes a hop of both filters. Unless the fast one `isOffered`, it is not heard.
  ///
  /// - Parameters:
  ///   - newest: the hop of the microphone.
  ///   - window: its newest `layout.window` samples.
  @_noLocks @_noAllocation
  mutating func process(
    fast: FilterEstimate, careful: FilterEstimate, newest: UnsafePointer<Float>, window: UnsafePointer<Float>, isOffered: Bool
  ) {
    mix.mix(fast: fast, careful: careful, isOffered: isOffered)
    (echo, residual) = (mix.echo, mix.residual)
    if share.limit(microphone: newest, echo: echo, residual: residual) { (echo, residual) = (share.echo, share.residual) }
    limitResidual(newest: newest, window: window)
  }

  /// Processes a hop of which no echo is estimated: it is its own residual.
  @_noLocks @_noAllocation
  mutating func pass(_ samples: UnsafePointer<Float>, echo nothing: UnsafePointer<Float>) {
    mix.pass()
    share.pass()
    (echo, residual) = (nothing, samples)
  }

  /// Limits what is heard of the residual by the microphone's peak in the error's window. The echo is part of the microphone, so much more
  /// than that is the estimate's own: of an echo that has ended, or of a filter that was fed garbage.
  @_noLocks @_noAllocation
  private mutating func limitResidual(newest: UnsafePointer<Float>, window: UnsafePointer<Float>) {
    let highest = peak(residual, frames: layout.hop)
    // The newest hop's own peak suffices almost always.
    if highest <= tuning.mostPeak * peak(newest, frames: layout.hop) { return }
    let limit = tuning.mostPeak * peak(window, frames: layout.window)
    if highest <= limit { return }
    for i in 0..<layout.hop { limited[i] = min(max(residual[i], -limit), limit) }
    residual = UnsafePointer(limited.start)
  }
}
