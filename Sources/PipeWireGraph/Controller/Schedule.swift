import PipeWireClient

/// The control thread's pending work: coalesced signals, and timers. [control]
struct Schedule {
  /// Brings the graph to its wanted state.
  let reconcile: LoopSignal
  /// Reconciles again once the daemon may accept what it has refused.
  let reconcileLater: LoopTimer
  /// Publishes the node's parameters.
  let publish: LoopSignal
  /// Reports the latency to the graph.
  let latency: LoopSignal
  /// Tries to connect to the daemon again.
  let reconnect: LoopTimer
  /// Polls the audio thread's reports, while cycles run.
  let poll: LoopTimer
  /// Checks for a capture path that is being made.
  let making: LoopTimer
  /// Shows that the control thread responds.
  var beat: LoopTimer?

  /// Seconds between polls of the audio thread's reports.
  private static let pollInterval = 0.2
  /// Seconds between checks for the first cycle.
  private static let firstCycleInterval = 0.02
  /// Seconds between checks for a capture path that is being made.
  private static let makingInterval = 0.01

  init(loop: ThreadLoop) {
    reconcile = LoopSignal(loop: loop)
    reconcileLater = LoopTimer(loop: loop)
    publish = LoopSignal(loop: loop)
    latency = LoopSignal(loop: loop)
    reconnect = LoopTimer(loop: loop)
    poll = LoopTimer(loop: loop)
    making = LoopTimer(loop: loop)
  }

  func awaitFirstCycle() { poll.schedule(after: Self.firstCycleInterval, every: Self.firstCycleInterval) }

  func startPolling() { poll.schedule(after: Self.pollInterval, every: Self.pollInterval) }

  func awaitCapturePath() { making.schedule(after: Self.makingInterval) }

  /// Cancels everything for good.
  func cancel() {
    let sources: [LoopSource?] = [reconcile, reconcileLater, publish, latency, reconnect, poll, making, beat]
    for source in sources { source?.cancel() }
  }
}
