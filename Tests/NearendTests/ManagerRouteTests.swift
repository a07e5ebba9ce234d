import SessionModel
import Testing

@testable import Nearend

@Suite("The manager's route")
struct ManagerRouteTests {
  private static let route = RouteDescription(
    inputs: [RoutePort(name: "mic", portType: .builtInMic)], outputs: [RoutePort(name: "speaker", portType: .builtInSpeaker)])

  @Test("R3: the current route is the graph's; without a session it is empty")
  func currentRoute() throws {
    let rig = ManagerRig()
    #expect(rig.manager.currentRoute.isEmpty)
    try rig.registerCall()
    try rig.graph.use(RouteStatus(current: Self.route))
    #expect(rig.manager.currentRoute == Self.route)
    rig.unregisterCall()
    #expect(rig.manager.currentRoute.isEmpty)
  }

  @Test("R5: what is paused since headphones went goes on when the program says so; where nothing is paused nothing is asked for")
  func resume() throws {
    let rig = ManagerRig()
    rig.manager.resumeAfterUnplug()
    try rig.registerCall()
    rig.manager.resumeAfterUnplug()
    #expect(try rig.graph.routeRequests.isEmpty)
    try rig.graph.use(RouteStatus(current: Self.route, isPausedAfterUnplug: true))
    #expect(rig.manager.isPausedAfterUnplug)
    rig.manager.resumeAfterUnplug()
    #expect(try rig.graph.routeRequests == [.resume])
    #expect(!rig.manager.isPausedAfterUnplug)
  }
}
