/// Where a filter writes what it makes of each hop. [realtime]
struct FilterEstimate {
  /// The newest hop of the estimated echo, and of the residual: the microphone minus it.
  let echo, residual: UnsafePointer<Float>
  /// Expected power of the residual echo, by adapted bin; eight values beyond the last are readable.
  let uncertainty: UnsafePointer<Float>

  @_noLocks @_noAllocation
  init(echo: UnsafePointer<Float>, residual: UnsafePointer<Float>, uncertainty: UnsafePointer<Float>) {
    (self.echo, self.residual, self.uncertainty) = (echo, residual, uncertainty)
  }
}
