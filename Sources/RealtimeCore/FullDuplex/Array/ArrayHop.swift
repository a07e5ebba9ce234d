/// What the linear canceller hands on of the further microphones of an array, in one hop. [realtime]
struct ArrayHop: BitwiseCopyable {
  /// Further microphones.
  let count: Int
  private let hop: Int
  /// The main microphone, as it is heard.
  let main: UnsafePointer<Float>
  private let microphones, residuals: UnsafePointer<Float>
  private let followers: Followers.View

  /// - Parameters:
  ///   - main: a hop of the main one.
  ///   - microphones, residuals: of `hop` samples each, one after another: as they are heard, and what is left of them.
  @_noLocks @_noAllocation
  init(
    hop: Int, main: UnsafePointer<Float>, microphones: UnsafePointer<Float>, residuals: UnsafePointer<Float>, followers: Followers.View
  ) {
    (count, self.hop, self.main, self.microphones, self.residuals) = (followers.count, hop, main, microphones, residuals)
    self.followers = followers
  }

  @_noLocks @_noAllocation
  func microphone(_ index: Int) -> UnsafePointer<Float> { microphones + index * hop }

  /// What is left of it, faded as the main microphone's is while echo cancellation is switched.
  @_noLocks @_noAllocation
  func residual(_ index: Int) -> UnsafePointer<Float> { residuals + index * hop }

  /// The echo estimated in it, and the expected power of what is left of that, by adapted bin.
  @_noLocks @_noAllocation
  func echo(_ index: Int) -> UnsafePointer<Float> { followers[index].pointee.estimate.echo }

  @_noLocks @_noAllocation
  func uncertainty(_ index: Int) -> UnsafePointer<Float> { followers[index].pointee.estimate.uncertainty }
}
