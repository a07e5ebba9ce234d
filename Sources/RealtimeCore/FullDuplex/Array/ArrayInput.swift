/// The further microphones of an array, as late as the far end, and what is heard of their residuals. Own arrangement. Delay: that of the
/// far end. Cost: two copies a hop and microphone. [realtime] except `init` and `deinit`.
struct ArrayInput: ~Copyable {
  /// Further microphones.
  let count: Int
  private let hop, delay: Int
  private let aligned, tails, heard: Samples
  /// What `hop` returned last.
  private let told: Buffer<ArrayHop>

  /// - Parameters:
  ///   - count: 0…7.
  ///   - delay: frames of the far end's delay, at most a hop.
  init(count: Int, hop: Int, delay: Int) {
    (self.count, self.hop, self.delay) = (count, hop, delay)
    aligned = Samples(max(1, count * hop))
    tails = Samples(max(1, count * delay))
    heard = Samples(max(1, count * hop))
    told = Buffer(adopting: .allocate(capacity: 1))
  }

  /// Takes a hop of each, one after another, silence if nil, and returns it as late as the far end. After a loss, the end of the hop before
  /// would be late by a hop, and is left out.
  @_noLocks @_noAllocation
  func align(_ microphones: UnsafePointer<Float>?, isAfterLoss: Bool) -> UnsafePointer<Float> {
    for i in 0..<count {
      let start = aligned + i * hop, tail = tails + i * delay
      if isAfterLoss { clear(start, frames: delay) } else { copy(tail, to: start, frames: delay) }
      copy(microphones, offset: i * hop, to: start + delay, frames: hop - delay)
      copy(microphones, offset: i * hop + hop - delay, to: tail, frames: delay)
    }
    return UnsafePointer(aligned.start)
  }

  /// Returns what the suppressor is told of the hop: each residual, blended with what `align` returned, as the main microphone's is, and
  /// silent where it was lost. By pointer: Swift 6.0's compiler crashes if it is passed by value. Valid until the next call.
  @_noLocks @_noAllocation
  func hop(
    main: UnsafePointer<Float>, _ followers: Followers.View, fade: Crossfade, cancelsEcho: Bool, lost: (Range<Int>, Range<Int>)
  ) -> UnsafePointer<ArrayHop> {
    for i in 0..<count {
      var fade = fade
      let start = heard + i * hop
      fade.blend(wet: followers[i].pointee.estimate.residual, dry: aligned + i * hop, into: start, frames: hop, isOn: cancelsEcho)
      clear(start + lost.0.lowerBound, frames: lost.0.count)
      clear(start + lost.1.lowerBound, frames: lost.1.count)
    }
    told.start.initialize(
      to: ArrayHop(
        hop: hop, main: main, microphones: UnsafePointer(aligned.start), residuals: UnsafePointer(heard.start), followers: followers))
    return UnsafePointer(told.start)
  }
}
