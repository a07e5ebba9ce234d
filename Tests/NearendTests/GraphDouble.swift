import Dispatch
import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization

@testable import Nearend

/// A graph without a daemon: like PipeWire's, it asks the session for its demand on a control thread of its own, and records what it would
/// link.
final class GraphDouble: SessionGraph {
  struct State {
    var isStarted = false
    var isStopped = false
    var applications: [Media] = []
    var demands: [SessionDemand] = []
    var picked: [Device.Direction: String] = [:]
    var settings = GraphSettings()
    var route = RouteStatus()
    var graphSinks: [String] = []
    var rebuilds = 0
    /// Weak, because it keeps its newest graph, and that the core.
    weak var world: GraphWorld?
  }
  /// Called when its settings are read, which also happens in the middle of a session's end.
  let whenAsked = Callback<@Sendable () -> Void>()
  /// Called when a recovery waits for links; returns whether they can be made.
  let whenLinking = Callback<@Sendable () -> Bool>()
  let core: AudioCore
  let options: GraphOptions
  private let listener: any GraphListener
  private let state = Mutex(State())
  private let control = DispatchQueue(label: "graph double")

  init(core: AudioCore, options: GraphOptions, listener: any GraphListener, world: GraphWorld) {
    self.core = core
    self.options = options
    self.listener = listener
    state.withLock {
      $0.world = world
      $0.picked[.input] = options.microphone
      $0.picked[.output] = options.speaker
      $0.settings = options.settings
    }
  }

  private var world: GraphWorld? { state.withLock { $0.world } }

  func start() throws(GraphError) {
    guard let world else { throw .noDaemon(reason: "its world is gone") }
    try world.willStart()
    state.withLock { $0.isStarted = true }
    world.changeNodes(by: 1)
    demandChanged()
  }

  func startHeartbeat(every interval: Double, _ beat: @escaping @Sendable () -> Void) {}

  func stop() {
    let wasRunning = state.withLock { state in
      defer { state.isStopped = true }
      return state.isStarted && !state.isStopped
    }
    if wasRunning { world?.changeNodes(by: -1) }
    control.sync {}
  }

  func demandChanged() { control.async { [self] in reconcile() } }
  func rebuild() { state.withLock { $0.rebuilds += 1 } }
  func notifyWhenSoundPasses() {
    control.async { [self] in
      reconcile()
      guard whenLinking.current.map({ $0() }) ?? true else { return }
      listener.handle(.soundPasses)
    }
  }

  private func reconcile() {
    guard let applications = state.withLock({ $0.isStarted && !$0.isStopped ? $0.applications : nil }) else { return }
    listener.handle(.session(.applications(applications)))
    let demand = listener.demands.now
    state.withLock { if $0.demands.last != demand { $0.demands.append(demand) } }
    core.isSending = demand.sends
  }

  func pick(_ direction: Device.Direction, name: String?) { state.withLock { $0.picked[direction] = name } }
  func picked(_ direction: Device.Direction) -> String? { state.withLock { $0.picked[direction] } }
  var settings: GraphSettings {
    whenAsked.current?()
    return state.withLock { $0.settings }
  }
  func set(_ setting: Setting, to value: EventValue) { state.withLock { _ = $0.settings.set(setting, to: value) } }
  func resumeAfterUnplug() { state.withLock { $0.route.isPausedAfterUnplug = false } }
  func addGraphSink(_ sink: GraphSink) { state.withLock { $0.graphSinks.append(sink.id) } }
  func removeGraphSink(id: String) { state.withLock { $0.graphSinks.removeAll { $0 == id } } }

  func provide(_ parameters: GraphParameters) {}
  func parametersChanged() {}

  var report: GraphReport {
    let isThere = state.withLock { $0.isStarted && !$0.isStopped }
    var report = GraphReport()
    report.route = state.withLock { $0.route }
    report.graph = GraphStatus(isConnected: isThere, nodeId: isThere ? 42 : nil)
    return report
  }

  // MARK: Events

  /// Simulates which applications are linked to nearend's devices.
  func use(_ applications: [Media]) {
    state.withLock { $0.applications = applications }
    demandChanged()
  }
  func use(_ route: RouteStatus) { state.withLock { $0.route = route } }
  /// Runs `body` while the control thread is blocked, so that requests are deferred.
  func whileItWaits(_ body: () throws -> Void) rethrows {
    // What runs already is not suspended.
    control.sync {}
    control.suspend()
    defer { control.resume() }
    try body()
  }
  /// Polls the audio thread's cells, on the control thread.
  func poll() { control.sync { listener.handle(.cyclesRun) } }
  func fail(_ error: GraphError) { control.sync { listener.handle(.failed(error)) } }
  /// Reports that everything demanded is linked.
  func postSoundPasses() { control.sync { listener.handle(.soundPasses) } }
  func interrupt(_ reason: Interruption.Reason, _ isOn: Bool) {
    control.sync { listener.handle(.session(isOn ? .interruptionBegan(reason) : .interruptionEnded(reason))) }
  }

  // MARK: Observations

  /// The number of requested rebuilds.
  var rebuilds: Int { state.withLock { $0.rebuilds } }

  /// The current demand, once every request has been handled.
  var demand: SessionDemand {
    control.sync {}
    return state.withLock { $0.demands.last ?? SessionDemand() }
  }
}

/// Makes a manager's graphs, and keeps track of the newest.
final class GraphWorld: Sendable {
  struct State {
    var graph: GraphDouble?
    var error: GraphError?
    var nodes = 0
    var mostNodes = 0
    var starts = 0
  }
  private let state = Mutex(State())
  /// While closed, starting graphs wait.
  private let gate = DispatchSemaphore(value: 0)
  private let isGateClosed = Mutex(false)
  let starting = DispatchSemaphore(value: 0)

  func makeGraph(_ core: AudioCore, _ options: GraphOptions, _ listener: any GraphListener) -> GraphDouble {
    let graph = GraphDouble(core: core, options: options, listener: listener, world: self)
    state.withLock { $0.graph = graph }
    return graph
  }

  func makeManager() -> AudioSessionManager { AudioSessionManager(makeOwner()) }

  func makeOwner() -> SessionOwner {
    let owner = SessionOwner(makeGraph: makeGraph)
    _ = owner.configure(AudioSessionConfiguration(controlSocket: nil))
    return owner
  }

  /// The newest graph, which has ended or not.
  var graph: GraphDouble? { state.withLock { $0.graph } }
  /// The number of filter nodes now, their maximum, and the number of attempts to make one.
  var nodes: Int { state.withLock { $0.nodes } }
  var mostNodes: Int { state.withLock { $0.mostNodes } }
  var starts: Int { state.withLock { $0.starts } }

  /// Makes every start fail with this error from now on; nil for none.
  func fail(with error: GraphError?) { state.withLock { $0.error = error } }
  func closeGate() { isGateClosed.withLock { $0 = true } }
  func openGate() {
    isGateClosed.withLock { $0 = false }
    gate.signal()
  }
  /// Releases the newest graph, which its manager keeps until it has ended.
  func forgetGraph() { state.withLock { $0.graph = nil } }

  fileprivate func willStart() throws(GraphError) {
    state.withLock { $0.starts += 1 }
    if isGateClosed.withLock({ $0 }) {
      starting.signal()
      gate.wait()
    }
    if let error = state.withLock({ $0.error }) { throw error }
  }

  fileprivate func changeNodes(by count: Int) {
    state.withLock {
      $0.nodes += count
      $0.mostNodes = max($0.mostNodes, $0.nodes)
    }
  }
}

extension GraphDouble {
  static let recorder = Media(id: "parec-71", isSend: true, isReceive: false, owner: .application)
  static let player = Media(id: "pacat-72", isSend: false, isReceive: true, owner: .application)
}
