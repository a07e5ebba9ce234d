/// Chooses which filter is heard. The careful one adopts the fast one's weights only after that has left less for a while; after a change
/// of the path, echo would be heard until then. So the fast filter's own residual is heard once its power is 4 dB below the careful one's,
/// smoothed over some hops; the crossfade takes one hop. Own method. Cost: two sums over bands a hop, and two
/// crossfades of one while the fast filter is heard. [realtime] except `init` and `deinit`.
struct FilterChoice: ~Copyable {
  /// One hop of estimated echo, and of the residual.
  typealias Estimate = (echo: UnsafePointer<Float>, residual: UnsafePointer<Float>)

  /// A Boolean value indicating whether the fast filter is heard, at least in part.
  private(set) var isFast = false
  /// Echo and residual of the newest hop, crossfaded; valid while the fast filter is heard.
  var echo: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { UnsafePointer(mixedEcho) }
  }
  var residual: UnsafePointer<Float> {
    @_noLocks @_noAllocation get { UnsafePointer(mixedResidual) }
  }

  private let hop: Int
  private let bands: Int
  private let memory: Float
  private let mixedEcho, mixedResidual: UnsafeMutablePointer<Float>
  private var fastPower: Float = 0
  private var carefulPower: Float = 0
  /// The fast filter's share at the end of the newest hop: 0 or 1.
  private var weight: Float = 0

  /// Shares of the careful filter's residual power: below the first, the fast filter is heard; above the second, no longer.
  private let better: Float = 0.4
  private let alike: Float = 0.6

  init(layout: FilterLayout, bands: Int) {
    hop = layout.hop
    self.bands = bands
    memory = layout.perHop(0.85)
    mixedEcho = .silence(layout.hop)
    mixedResidual = .silence(layout.hop)
  }

  deinit {
    mixedEcho.deallocate()
    mixedResidual.deallocate()
  }

  /// Chooses for one hop of both filters, by the energies of their errors in bands.
  @_noLocks @_noAllocation
  mutating func choose(
    fast: Estimate, careful: Estimate, fastBands: UnsafePointer<Float>, carefulBands: UnsafePointer<Float>
  ) {
    var fastSum: Float = 0, carefulSum: Float = 0
    for band in 0..<bands {
      fastSum += fastBands[band]
      carefulSum += carefulBands[band]
    }
    fastPower += (1 - memory) * (fastSum - fastPower)
    carefulPower += (1 - memory) * (carefulSum - carefulPower)
    let before = weight
    if fastPower < better * carefulPower { weight = 1 } else if fastPower > alike * carefulPower { weight = 0 }
    isFast = before + weight > 0
    if isFast {
      mix(careful.echo, fast.echo, from: before, into: mixedEcho)
      mix(careful.residual, fast.residual, from: before, into: mixedResidual)
    }
  }

  /// Returns to the careful filter, because nothing is played.
  @_noLocks @_noAllocation
  mutating func reset() { (isFast, weight) = (false, 0) }

  @_noLocks @_noAllocation
  private func mix(
    _ careful: UnsafePointer<Float>, _ fast: UnsafePointer<Float>, from before: Float, into output: UnsafeMutablePointer<Float>
  ) {
    let step = (weight - before) / Float(hop)
    for i in 0..<hop { output[i] = careful[i] + (before + step * (Float(i) + 0.5)) * (fast[i] - careful[i]) }
  }
}
