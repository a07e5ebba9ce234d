/// The two filters of one echo path (Ochiai, Araseki and Ogihara, IEEE Trans. COM-25, 1977): the careful one, robust against the near end,
/// and the fast one, which tracks what moves and takes from the careful one what it has no weights for. Everything that happens to both,
/// and to what they share, their prior and the place of their window, happens here, once; also to the filters of an array's further
/// microphones, which follow. [realtime] except `init`.
struct FilterPair: ~Copyable {
  private(set) var fast: KalmanFilter
  private(set) var careful: KalmanFilter
  private let followers: Followers.View
  /// What each makes of the newest hop.
  let fastEstimate, carefulEstimate: FilterEstimate
  /// The delay in hops at which the filters' window starts.
  private(set) var offset = 0

  private let layout: FilterLayout
  private let tuning: Tuning.FilterPair
  private var prior: PathPrior
  private var selector: PathSelector
  private var isStereo = false
  /// The last result of `KalmanFilter.idlePartitions`, within reach.
  private var idlePartitions = 0

  /// - Parameters:
  ///   - spectrum: by whose bands the filters are compared.
  ///   - transform: of `layout.transform` samples.
  ///   - followers: those of the further microphones; their owner must outlive the pair.
  init(
    layout: FilterLayout, tuning: Tuning = .standard, spectrum: borrowing BandSpectrum, transform: borrowing FourierTransform,
    followers: Followers.View = .none
  ) {
    self.layout = layout
    self.tuning = tuning.filterPair
    self.followers = followers
    let fast = KalmanFilter(layout: layout, role: .fast, tuning: tuning, transform: transform)
    let careful = KalmanFilter(layout: layout, role: .careful, tuning: tuning, transform: transform)
    (fastEstimate, carefulEstimate) = (fast.estimate, careful.estimate)
    self.fast = fast
    self.careful = careful
    prior = PathPrior(layout: layout, tuning: tuning.pathPrior)
    selector = PathSelector(layout: layout, tuning: tuning.pathSelector, spectrum: spectrum)
  }

  // MARK: A hop

  /// Estimates the echo of the newest hop.
  @_noLocks @_noAllocation
  mutating func predict(_ reference: borrowing ReferenceSpectra) {
    careful.predict(reference, offset: offset)
    fast.predict(reference, beyond: careful)
  }

  /// Subtracts the estimates from the microphone, its newest `layout.window` samples, and learns if it `learns`.
  @_noLocks @_noAllocation
  mutating func adapt(to microphone: UnsafePointer<Float>, learns: Bool) {
    careful.adapt(to: microphone, learns: learns)
    fast.adapt(to: microphone, learns: learns)
  }

  /// Adapts the prior to what the careful filter has learnt, every `layout.partitionHops` hops.
  @_noLocks @_noAllocation
  mutating func adaptPrior() { prior.update(&fast, &careful, followers: followers, isStereo: isStereo) }

  /// Lets each filter take from the other what that knows better; see `PathSelector`.
  @_noLocks @_noAllocation
  mutating func exchange(_ hop: PathHop) { selector.select(&fast, &careful, hop) }

  /// Estimates nothing: the far end is silent for the filters' whole reach, or the microphone is closed.
  @_noLocks @_noAllocation
  mutating func passThrough() { careful.passThrough() }

  // MARK: What is known of the path

  @_noLocks @_noAllocation
  mutating func lose(_ loss: Loss) {
    fast.lose(loss)
    careful.lose(loss)
    followers.lose(loss)
    prior.lose(loss)
    selector.lose(loss)
  }

  /// Adds the change that is expected of so many hops without learning.
  @_noLocks @_noAllocation
  mutating func age(by hops: Int) {
    careful.age(by: hops)
    fast.age(by: hops)
    followers.age(by: hops)
  }

  /// Expects an error of `share` times the estimate's power.
  @_noLocks @_noAllocation
  mutating func raiseVariances(by share: Float) {
    careful.raiseVariances(by: share)
    fast.raiseVariances(by: share)
    followers.raiseVariances(by: share)
  }

  /// Scales the estimated path by a factor with this relative variance.
  @_noLocks @_noAllocation
  mutating func scale(by factor: Float, variance: Float = 0) {
    fast.scale(by: factor, variance: variance)
    careful.scale(by: factor, variance: variance)
    followers.scale(by: factor, variance: variance)
  }

  /// Raises the prior of filters that were reset a hop ago, and have predicted since, if the echo, which is this share of the error, is far
  /// louder than they expect: the far end is soft and the loudspeaker turned up. Otherwise they would take the echo for a near end, and
  /// not learn from it.
  @_noLocks @_noAllocation
  mutating func expect(echo share: Float) {
    let factor = excess(of: share, over: careful)
    if factor == 1 { return }
    careful.scalePrior(by: factor)
    followers.scalePrior(by: factor)
    fast.scalePrior(by: factor)
    prior.scale(by: factor)
  }

  /// Returns the factor by which a share of the error exceeds all that a filter expects, right after its `predict`; 1 if it hardly does.
  @_noLocks @_noAllocation
  private func excess(of share: Float, over filter: borrowing KalmanFilter) -> Float {
    let factor = share * careful.errorPower / filter.expectedNow
    return factor < tuning.louder ? 1 : min(factor, tuning.loudest)
  }

  // MARK: A trial

  /// Lets the fast filter learn from nothing, for a trial.
  @_noLocks @_noAllocation
  mutating func beginTrial() { fast.lose(.path) }

  /// Expects all of the error to be echo, in the first hop of a trial, after `predict`.
  @_noLocks @_noAllocation
  mutating func expectEchoInTrial() { fast.scalePrior(by: excess(of: 1, over: fast)) }

  /// Returns the fast filter to the careful one's path.
  @_noLocks @_noAllocation
  mutating func endTrial() { fast.restore(careful) }

  // MARK: The window and the sides

  /// Moves the filters' window to start at a delay of `wanted` hops, and shifts their weights with it.
  @_noLocks @_noAllocation
  mutating func move(to wanted: Int) {
    let partitions = (wanted - offset) / layout.partitionHops
    fast.move(by: partitions)
    careful.move(by: partitions)
    followers.move(by: partitions)
    prior.move(by: partitions, scale: careful.priorScale)
    offset = wanted
  }

  /// Follows a reference of which one hop fewer was read: what was `offset` hops old is a hop younger.
  @_noLocks @_noAllocation
  mutating func followSkippedHop() { offset -= 1 }

  /// Follows a reference of which one hop more was read. Returns whether the echo had to be moved within the window, which is as late as
  /// possible.
  @_noLocks @_noAllocation
  mutating func followAddedHop() -> Bool {
    if offset < (layout.reach - layout.partitions) * layout.partitionHops {
      offset += 1
      return false
    }
    careful.moveLaterByHop()
    followers.moveLaterByHop()
    fast.adopt(careful, bins: 0..<layout.bins)
    return true
  }

  /// Moves the echo within the window, which is as early as possible, by a hop or less. Returns the frames by which to delay the reference;
  /// 0 if it could not be moved.
  @_noLocks @_noAllocation
  mutating func moveEarlier() -> Int {
    // A filter that was reset does not know yet where the echo begins.
    let frames = careful.isConfident ? careful.moveEarlier() : 0
    if frames == 0 { return 0 }
    fast.adopt(careful, bins: 0..<layout.bins)
    followers.moveEarlier(by: frames)
    return frames
  }

  /// Returns the delay in hops at which the window could start without losing echo, once two consecutive estimates agree: right after a
  /// path change the weights are still in transition.
  @_noLocks @_noAllocation
  mutating func laterStart() -> Int? {
    let former = idlePartitions
    idlePartitions = min(careful.idlePartitions(), layout.reach - layout.partitions - offset / layout.partitionHops)
    return idlePartitions > 0 && idlePartitions == former ? offset + idlePartitions * layout.partitionHops : nil
  }

  /// Exchanges paths with a follower.
  @_noLocks @_noAllocation
  mutating func exchange(withFollower index: Int) {
    let follower = followers[index], bins = 0..<layout.bins
    fast.adopt(careful, bins: bins)
    careful.adopt(follower.pointee.filter, bins: bins)
    follower.pointee.filter.adopt(fast, bins: bins)
    fast.adopt(careful, bins: bins)
  }

  /// Follows a far end whose sides are, or are no longer, the same.
  @_noLocks @_noAllocation
  mutating func follow(isStereo: Bool) {
    if isStereo == self.isStereo { return }
    self.isStereo = isStereo
    if isStereo {
      careful.split()
      fast.split()
      followers.split()
      prior.split()
    } else {
      careful.join()
      fast.join()
      followers.join()
      prior.join()
    }
  }
}
