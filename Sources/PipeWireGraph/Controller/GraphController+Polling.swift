import Platform
import RealtimeCore
import SessionModel

/// Polls the audio thread's reports, five times a second while cycles run.
extension GraphController {
  /// Makes a capture path for a new rate or engine; observes priority, events, ducking, freezes; reports latency to the graph.
  func poll() {
    if firstPoll.isAwaited {
      guard firstPoll.begins(cycles: core.cycleMeters.cycles) else { return }
      schedule.startPolling()
    }
    let meters = core.cycleMeters
    cycleWindow.note(run: meters.cycles, lost: meters.xruns, quantum: meters.quantum, at: monotonicSeconds())
    renewCapturePath()
    priority.poll()
    keepMicrophoneClosed()
    listener.handle(.cyclesRun)
    if updateDucking() { reconcileSoon() }
    freeze.poll(isStarted: attachment?.filter?.filter.state == .streaming)
    updateLatency()
  }

  func updateLatency() {
    let meters = core.cycleMeters
    guard meters.quantum > 0 else { return }
    attachment?.filter?.setLatency(capture: core.captureLatency, render: core.renderLatency)
    core.streamDelay = streamDelay(meters)
  }

  /// Makes a capture path if one is needed. Waits for the first only, before there is a filter.
  func renewCapturePath(isFirst: Bool = false) {
    let wanted = core.controls.engine
    do {
      try isFirst ? core.prepare() : core.renewCapturePath()
    } catch {
      let isSame = core.controls.engine == wanted
      log(.error, "\(error); \(isSame ? "the voice stays silent" : "\(core.controls.engineName) goes on")")
    }
    if core.isMakingCapturePath { schedule.awaitCapturePath() }
  }

  /// Frames between a sample at the reference and its echo at the microphone, according to the graph: out through the speaker and back in,
  /// minus the delay of the reference itself. The monitor of a driving sink is one quantum late.
  func streamDelay(_ meters: CycleMeters) -> Int {
    guard let latencies = attachment?.filter?.latencies else { return 0 }
    let path =
      latencies.speaker.total(quantum: meters.quantum, rate: meters.rate)
      + latencies.microphone.total(quantum: meters.quantum, rate: meters.rate)
    let drives = meters.driver == routes.choice.speaker?.id
    // An offset set by a person may exceed the path: the reference then comes as early as it can.
    return max(0, path - (!core.usesMixAsReference && drives ? meters.quantum : 0))
  }

  /// Suspends a closed microphone again after the daemon has woken it.
  private func keepMicrophoneClosed() {
    guard let attachment else { return }
    let isWoken = attachment.closing.wasWoken(
      isRunning: routes.choice.microphone.map(attachment.routes.isRunning) ?? false, at: monotonicSeconds())
    if isWoken { reconcileSoon() }
  }
}
