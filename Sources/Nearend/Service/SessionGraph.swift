import PipeWireGraph
import RealtimeCore
import SessionModel

/// What a session needs of a graph. PipeWire's is the one there is; tests that want none give another, and need no daemon. [any]
protocol SessionGraph: AnyObject, Sendable {
  /// Once.
  /// - Throws: why the graph cannot be joined; nothing is left behind then.
  func start() throws(GraphError)
  /// Leaves no node and no link behind. Doing it again has no effect.
  func stop()
  /// The session needs something else than before.
  func demandChanged()
  /// A frozen graph's filter is made anew, with the same ports and settings, as soon as the graph answers (I5).
  func rebuild()
  /// `soundPasses` of the hooks is to be called once what the session demands now is linked, and cycles run where they are due (S4).
  func tellWhenSoundPasses()
  func pick(_ direction: Device.Direction, name: String?)
  func picked(_ direction: Device.Direction) -> String?
  func ask(_ request: RouteRequest)
  var routeSettings: RouteSettings { get }
  var duckingSettings: DuckingSettings { get set }
  func addGraphSink(_ sink: GraphSink)
  func removeGraphSink(id: String)
  /// The filter node's parameters; before `start`, once.
  func provide(_ parameters: GraphParameters)
  /// They are told anew, soon.
  func parametersChanged()
  var report: GraphReport { get }
  /// Once.
  func beat(every interval: Double, _ beat: @escaping @Sendable () -> Void)
}

extension GraphController: SessionGraph {}

typealias MakeGraph = (AudioCore, GraphOptions, GraphHooks) -> any SessionGraph
