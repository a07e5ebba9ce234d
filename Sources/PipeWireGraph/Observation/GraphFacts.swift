import SessionModel

/// What the graph was found to be, at one instant.
struct GraphFacts {
  /// nearend's own nodes in it are identified.
  var objects: GraphObjects
  /// nearend's own ends of its links.
  var endpoints: LinkPlan.Endpoints
  /// The applications that use nearend's devices.
  var users = ClientWatch.Users()
  /// Clients that take part in the call, or are nearend.
  var ownClients: Set<UInt32> = []
  /// The running stream that has priority over a call, by name and role; nil if there is none (I1).
  var interrupter: String?
}
