import PipeWireGraph
import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// The graph of a session in manual rendering mode (S9): without a daemon, devices or applications; cycles run when the program calls them.
final class ManualGraph: SessionGraph {
  /// Runs the program's cycles.
  let renderer: ManualRenderer
  private struct State {
    var isRunning = false
    var demand = SessionDemand()
    var settings = GraphSettings()
  }
  private let state = Mutex(State())
  private let core: AudioCore
  private let listener: any GraphListener
  /// Serializes reading the session's demand, as a graph's control thread does.
  private let control = SerialThread(name: "nearend.manual", callsOthers: true)
  /// Whether the demand has changed, and has not been read since.
  private let isBehind = Atomic(false)
  /// Held while the demand is read.
  private let reading = Mutex(())

  init(core: AudioCore, listener: any GraphListener) {
    self.core = core
    self.listener = listener
    renderer = ManualRenderer(core: core, didRunCycles: { listener.handle(.cyclesRun) })
    // A cycle finds what was registered before it, whether the control thread has come to it or not.
    renderer.willRunCycle.set { [weak self] in
      if let self, isBehind.load(ordering: .acquiring) { reconcile() }
    }
  }

  func start() throws(GraphError) {
    renewCapturePath()
    state.withLock { $0.isRunning = true }
    control.sync { reconcile() }
  }

  func stop() {
    state.withLock { $0.isRunning = false }
    control.sync { reading.withLock { _ in core.isSending = false } }
  }

  func demandChanged() {
    isBehind.store(true, ordering: .releasing)
    control.async { [self] in reconcile() }
  }
  /// Does nothing: cycles that the program calls cannot freeze.
  func rebuild() {}
  /// Does nothing: the thread that runs the cycles is the program's own.
  func startHeartbeat(every interval: Double, _ beat: @escaping @Sendable () -> Void) {}
  func notifyWhenSoundPasses() {
    control.async { [self] in
      reconcile()
      listener.handle(.soundPasses)
    }
  }

  private func reconcile() {
    reading.withLock { _ in
      isBehind.store(false, ordering: .sequentiallyConsistent)
      guard state.withLock({ $0.isRunning }) else { return }
      let demands = listener.demands
      state.withLock { $0.demand = demands.now }
      core.isSending = demands.now.sends
      core.isInterrupted = demands.wanted.isActive && !demands.now.isActive
    }
  }

  // MARK: No devices, no other programs

  func pick(_ direction: Device.Direction, name: String?) {}
  func picked(_ direction: Device.Direction) -> String? { nil }
  func resumeAfterUnplug() {}
  var settings: GraphSettings {
    var settings = state.withLock { $0.settings }
    settings.reference = core.usesMixAsReference ? .mix : .everything
    return settings
  }
  func set(_ setting: Setting, to value: EventValue) {
    switch setting {
    case .reference: renderer.use(value.word() ?? .everything)
    case .duckingLevel, .isAdvancedDuckingEnabled: state.withLock { _ = $0.settings.set(setting, to: value) }
    default: break
    }
  }
  func addGraphSink(_ sink: GraphSink) {}
  func removeGraphSink(id: String) {}
  func provide(_ parameters: GraphParameters) {}
  /// The engine may have changed.
  func parametersChanged() { renewCapturePath() }

  private func renewCapturePath() {
    do {
      try renderer.renewCapturePath()
    } catch {
      listener.handle(.remark(.error, "\(error); \(core.controls.engineName) goes on"))
    }
  }

  var report: GraphReport {
    let (isRunning, demand) = state.withLock { ($0.isRunning, $0.demand) }
    let meters = core.cycleMeters
    var report = GraphReport()
    report.graph = GraphStatus(
      isConnected: isRunning, quantum: meters.quantum, rate: meters.rate, cycles: meters.cycles, busyRatio: meters.busyRatio,
      busyRatioPeak: meters.busyRatioPeak, captureLatency: renderer.prepared.withLock { _ in core.captureLatency },
      renderLatency: core.renderLatency,
      captureLinks: demand.opensMicrophone ? 1 : 0)
    report.streamDelay = meters.rate > 0 ? Double(core.streamDelay) * 1000 / Double(meters.rate) : 0
    return report
  }
}
