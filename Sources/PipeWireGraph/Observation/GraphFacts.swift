import SessionModel

/// The observed state of the graph at one instant.
struct GraphFacts {
  /// The registry's objects, with nearend's own nodes identified.
  var objects: GraphObjects
  /// nearend's own ends of its links.
  var endpoints: LinkPlan.Endpoints
  /// The applications that use nearend's devices.
  var users = ClientWatch.Users()
  /// Ways of nearend's sound back into nearend that would stop the graph.
  var loops: [GraphLoop] = []
  /// Clients that take part in the call, or are nearend.
  var ownClients: Set<UInt32> = []
  /// The running stream that has priority over a call, as its name and role; nil if there is none (I1).
  var interrupter: String?
}
