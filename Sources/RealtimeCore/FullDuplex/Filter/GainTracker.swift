/// Detects that the volume was turned: the echo is then the estimate times one factor, the least-squares gain between both, which a few
/// hops of the microphone tell while nobody talks at the near end. Own method. [realtime]
struct GainTracker {
  private let hop: Int
  private let memory: Float
  private let patience: Int
  private var product: Float = 0
  private var echoPower: Float = 1e-9
  private var microphonePower: Float = 1e-9
  private var evidence = 0

  /// Least share of the microphone's power that the scaled estimate must explain.
  private let explained: Float = 0.9
  /// Limits of a change that is followed, in either direction: 2 dB and 20 dB.
  private let least: Float = 1.25
  private let most: Float = 10
  /// Least mean square of an audible echo: −70 dBFS.
  private let audible: Float = 1e-7

  init(layout: FilterLayout) {
    hop = layout.hop
    memory = layout.perHop(0.5)
    patience = layout.hops(0.021)
  }

  /// Processes one hop of the microphone and of the estimated echo. Returns the factor for the filters' weights, or nil.
  @_noLocks @_noAllocation
  mutating func update(microphone: UnsafePointer<Float>, echo: UnsafePointer<Float>, isConverged: Bool) -> Float? {
    var products: Float = 0, squares: Float = 0
    for i in 0..<hop {
      products += microphone[i] * echo[i]
      squares += echo[i] * echo[i]
    }
    let scale = (1 - memory) / Float(hop)
    product = memory * product + scale * products
    echoPower = memory * echoPower + scale * squares
    microphonePower = memory * microphonePower + (1 - memory) * meanSquare(microphone, frames: hop)
    guard isConverged, echoPower > audible, product > 0 else {
      evidence = 0
      return nil
    }
    let gain = product / echoPower
    let isOther = gain > least || gain < 1 / least
    guard isOther, gain < most, gain > 1 / most, product * product > explained * echoPower * microphonePower else {
      evidence = 0
      return nil
    }
    evidence += 1
    guard evidence >= patience else { return nil }
    evidence = 0
    product *= gain
    echoPower *= gain * gain
    return gain
  }
}
