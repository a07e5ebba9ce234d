/// The linear canceller of one further microphone of an array: a Kalman filter of its own on the main one's reference.
///
///     reference spectra ─▶ filter ─▶ echo
///     microphone ─────────────────── − ─▶ residual
///
/// The echo's delay, the clocks' drift, a changed path, a volume that is turned: what `Supervisor` decides for the main microphone, whose
/// loudspeaker and room it shares, happens to this one by `FilterPair`. That all microphones share one analysis of the reference follows
/// Kellermann (ICASSP 1997), who cancels before he forms the beam; a follower's rules are own. Delay: none. Cost: one transform a hop, and
/// half of one, and three for each of some three rows, every other hop; none while the far end is silent. [realtime] except `init`.
struct FollowerFilter: ~Copyable {
  var filter: KalmanFilter
  private var microphone: MicrophoneWindow
  private var subtraction: EchoSubtraction

  init(layout: FilterLayout, tuning: Tuning, transform: borrowing FourierTransform) {
    filter = KalmanFilter(layout: layout, role: .follower, tuning: tuning, transform: transform)
    microphone = MicrophoneWindow(layout: layout, tuning: tuning.microphone)
    subtraction = EchoSubtraction(layout: layout, tuning: tuning)
  }

  /// The echo estimated in the newest hop, what it leaves, and the expected power of what is left, by adapted bin.
  var estimate: FilterEstimate {
    @_noLocks @_noAllocation get {
      FilterEstimate(echo: subtraction.echo, residual: subtraction.residual, uncertainty: filter.estimate.uncertainty)
    }
  }

  /// Processes a hop, and learns from it if it `learns`. `offset`: as of `KalmanFilter.predict`.
  @_noLocks @_noAllocation
  mutating func process(_ samples: UnsafePointer<Float>, reference: borrowing ReferenceSpectra, offset: Int, learns: Bool) {
    microphone.measure(samples)
    if !microphone.isOpen { return passMeasured(samples) }
    filter.predict(reference, offset: offset)
    microphone.push(samples, railMarks: nil, echo: filter.estimate.echo)
    filter.adapt(to: microphone.samples, learns: learns && microphone.isWhole)
    subtraction.process(
      fast: filter.estimate, careful: filter.estimate, newest: microphone.newest, window: microphone.samples, isOffered: false)
  }

  /// Passes a hop in which nothing is played.
  @_noLocks @_noAllocation
  mutating func pass(_ samples: UnsafePointer<Float>) {
    microphone.measure(samples)
    passMeasured(samples)
  }

  @_noLocks @_noAllocation
  private mutating func passMeasured(_ samples: UnsafePointer<Float>) {
    filter.passThrough()
    subtraction.pass(microphone.pass(samples), echo: filter.estimate.echo)
  }

  /// Accounts for a hop that the graph lost, and for a pause without a consumer.
  @_noLocks @_noAllocation
  mutating func lose(_ silence: UnsafePointer<Float>) { microphone.lose(silence) }

  @_noLocks @_noAllocation
  mutating func interrupt() { microphone.interrupt() }
}

/// The followers of an array, which it owns; none of a single microphone. [realtime] except `init` and `deinit`.
struct Followers: ~Copyable {
  /// What `FilterPair` does to all of them alike.
  let view: View
  var count: Int {
    @_noLocks @_noAllocation get { view.count }
  }

  /// - Parameter count: 0…7.
  init(count: Int, layout: FilterLayout, tuning: Tuning, transform: borrowing FourierTransform) {
    if count <= 0 {
      view = .none
      return
    }
    let start = UnsafeMutablePointer<FollowerFilter>.allocate(capacity: count)
    for i in 0..<count { (start + i).initialize(to: FollowerFilter(layout: layout, tuning: tuning, transform: transform)) }
    view = View(start: start, count: count)
  }

  deinit {
    guard let start = view.start else { return }
    start.deinitialize(count: view.count)
    start.deallocate()
  }

  /// Requires `index` < `count`.
  @_noLocks @_noAllocation
  subscript(_ index: Int) -> UnsafeMutablePointer<FollowerFilter> { view[index] }
}

extension Followers {
  /// A view of followers that another owns. Each function is `KalmanFilter`'s, done to all. [realtime]
  struct View {
    fileprivate let start: UnsafeMutablePointer<FollowerFilter>?
    let count: Int

    static var none: View {
      @_noLocks @_noAllocation get { View(start: nil, count: 0) }
    }

    @_noLocks @_noAllocation
    fileprivate init(start: UnsafeMutablePointer<FollowerFilter>?, count: Int) { (self.start, self.count) = (start, count) }

    @_noLocks @_noAllocation
    subscript(_ index: Int) -> UnsafeMutablePointer<FollowerFilter> { start.unsafelyUnwrapped + index }

    @_noLocks @_noAllocation
    func lose(_ loss: Loss) { for i in 0..<count { self[i].pointee.filter.lose(loss) } }

    @_noLocks @_noAllocation
    func age(by hops: Int) { for i in 0..<count { self[i].pointee.filter.age(by: hops) } }

    @_noLocks @_noAllocation
    func raiseVariances(by share: Float) { for i in 0..<count { self[i].pointee.filter.raiseVariances(by: share) } }

    @_noLocks @_noAllocation
    func scale(by factor: Float, variance: Float) { for i in 0..<count { self[i].pointee.filter.scale(by: factor, variance: variance) } }

    @_noLocks @_noAllocation
    func scalePrior(by factor: Float) { for i in 0..<count { self[i].pointee.filter.scalePrior(by: factor) } }

    @_noLocks @_noAllocation
    func changePrior(of row: Int, from former: Float, to newest: Float) {
      for i in 0..<count { self[i].pointee.filter.changePrior(of: row, from: former, to: newest) }
    }

    @_noLocks @_noAllocation
    func move(by partitions: Int) { for i in 0..<count { self[i].pointee.filter.move(by: partitions) } }

    @_noLocks @_noAllocation
    func moveLaterByHop() { for i in 0..<count { self[i].pointee.filter.moveLaterByHop() } }

    @_noLocks @_noAllocation
    func moveEarlier(by frames: Int) { for i in 0..<count { self[i].pointee.filter.moveEarlier(by: frames) } }

    @_noLocks @_noAllocation
    func split() { for i in 0..<count { self[i].pointee.filter.split() } }

    @_noLocks @_noAllocation
    func join() { for i in 0..<count { self[i].pointee.filter.join() } }

    @_noLocks @_noAllocation
    func loseHop(_ silence: UnsafePointer<Float>) { for i in 0..<count { self[i].pointee.lose(silence) } }

    @_noLocks @_noAllocation
    func interrupt() { for i in 0..<count { self[i].pointee.interrupt() } }
  }
}
