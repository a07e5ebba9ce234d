import PipeWireGraph
import RealtimeCore
import SessionModel

/// The graph, as a session needs it. PipeWire's is the product's; tests provide others, and need no daemon. [any]
protocol SessionGraph: AnyObject, Sendable {
  /// Joins the graph; called once.
  /// - Throws: why the graph cannot be joined; nothing is left behind then.
  func start() throws(GraphError)
  /// Leaves no node and no link behind. Idempotent.
  func stop()
  /// Reports that the session's demand changed.
  func demandChanged()
  /// Rebuilds a frozen graph's filter, with the same ports and settings, as soon as the graph answers (I5).
  func rebuild()
  /// Requests one event `soundPasses` once everything that the session demands is linked, and cycles run where they are due
  /// (S4).
  func notifyWhenSoundPasses()
  func pick(_ direction: Device.Direction, name: String?)
  func picked(_ direction: Device.Direction) -> String?
  /// Resumes, in the room, what has been paused since headphones were unplugged (R5).
  func resumeAfterUnplug()
  var settings: GraphSettings { get }
  /// Sets one of the graph's settings to a value of its own kind; ignored for any other.
  func set(_ setting: Setting, to value: EventValue)
  func addGraphSink(_ sink: GraphSink)
  func removeGraphSink(id: String)
  /// Sets the filter node's parameters; called once, before `start`.
  func provide(_ parameters: GraphParameters)
  /// Publishes the parameters again, soon.
  func parametersChanged()
  var report: GraphReport { get }
  /// Calls `beat` every `interval` seconds on the control thread; set once.
  func startHeartbeat(every interval: Double, _ beat: @escaping @Sendable () -> Void)
}

extension GraphController: SessionGraph {}

typealias MakeGraph = (AudioCore, GraphOptions, any GraphListener) -> any SessionGraph
