/// Replaces what a clipping microphone has cut off by the estimated echo, so that the filter does not learn the cut, and it is not heard.
///
/// At the rail the microphone tells only that the sound was at least as loud. If the estimated echo is beyond it, the estimate is the
/// likeliest value; otherwise the rail is (regression on censored data; Tobin, Econometrica 26, 1958). The rails were bent by the
/// microphone's high-pass filter, so each sample's correction passes the same filter, and is chosen such that the filtered sum equals the
/// estimate. Own arrangement. Delay: none. Cost: none while nothing clips. [realtime]
struct ClippingRepair {
  private var highPass: Biquad
  private let frames: Int
  /// Mean square of a block's corrections; what remains of it in later blocks.
  private(set) var power: Float = 0
  private let memory: Float
  private let tuning: Tuning.Microphone

  /// - Parameters:
  ///   - highPass: the microphone's filter, at rest.
  ///   - frames: per block.
  ///   - memory: the share of `power` that remains after a block.
  init(highPass: Biquad, frames: Int, memory: Float, tuning: Tuning.Microphone = .standard) {
    (self.highPass, self.frames, self.memory, self.tuning) = (highPass, frames, memory, tuning)
  }

  /// A Boolean value indicating whether a block without clipped samples would pass unchanged.
  var isAtRest: Bool {
    @_noLocks @_noAllocation get { highPass.isAtRest && power == 0 }
  }

  /// Forgets the corrections of former blocks, because the microphone was interrupted.
  @_noLocks @_noAllocation
  mutating func reset() {
    highPass.reset()
    power = 0
  }

  /// Repairs one block in place.
  ///
  /// - Parameters:
  ///   - samples: the microphone after the high-pass filter.
  ///   - marks: of `RailWatch`: the sign of the rail, or 0; nil if all are 0.
  ///   - echo: the estimate.
  @_noLocks @_noAllocation
  mutating func process(_ samples: UnsafeMutablePointer<Float>, marks: UnsafePointer<Float>?, echo: UnsafePointer<Float>) {
    let most = tuning.mostCorrection
    var sum: Float = 0
    for i in 0..<frames {
      let missing = (echo[i] - samples[i] - highPass.pending) / highPass.gainAtOnce
      let correction = (marks?[i] ?? 0) * missing > 0 ? max(-most, min(most, missing)) : 0
      let added = highPass.process(correction)
      samples[i] += added
      sum += added * added
    }
    highPass.settle()
    power = max(memory * power, sum / Float(frames))
    if power < tuning.leastCorrection { power = 0 }
  }
}
