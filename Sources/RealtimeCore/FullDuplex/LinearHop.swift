/// What the linear canceller hands on of one hop; valid until its next `process`. [realtime]
struct LinearHop {
  /// What it leaves of the microphone, and the echo that it estimates: `hop` samples each.
  let residual, echo: UnsafePointer<Float>
  /// Expected power of the residual echo, by adapted bin; eight values beyond the last are readable.
  let uncertainty: UnsafePointer<Float>
  /// The newest spectra of the far end's sides, adapted bins: as many real parts as imaginary ones.
  let left, right: UnsafePointer<Float>
  /// The gain of these spectra over what is played.
  let farEndGain: Float
  /// Mean square of what was put in place of clipped samples lately.
  let repairedPower: Float
  let state: CancellerState

  @_noLocks @_noAllocation
  init(
    residual: UnsafePointer<Float>, echo: UnsafePointer<Float>, uncertainty: UnsafePointer<Float>, left: UnsafePointer<Float>,
    right: UnsafePointer<Float>, farEndGain: Float, repairedPower: Float, state: CancellerState
  ) {
    (self.residual, self.echo, self.uncertainty) = (residual, echo, uncertainty)
    (self.left, self.right, self.farEndGain, self.state) = (left, right, farEndGain, state)
    self.repairedPower = repairedPower
  }
}
