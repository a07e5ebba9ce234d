import SessionModel
import Testing

@testable import Nearend

/// The table in the article on automatic configuration, cell by cell.
@Suite("Automatic configuration")
struct AutomaticConfigurationTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var isManual: Bool
    var configures: Bool
    var deactivates: Bool
    /// Whether nearend links real devices while media is registered.
    var links: Bool
    /// Whether the session is active after its last media.
    var staysActive: Bool
    var nodes: Int

    var testDescription: String {
      "\(isManual ? "manual" : "default"), configuration \(configures ? "on" : "off"), deactivation \(deactivates ? "on" : "off")"
    }
  }

  static let table = [
    Row(isManual: false, configures: true, deactivates: true, links: true, staysActive: false, nodes: 0),
    Row(isManual: false, configures: true, deactivates: false, links: true, staysActive: true, nodes: 1),
    Row(isManual: false, configures: false, deactivates: true, links: false, staysActive: false, nodes: 0),
    Row(isManual: false, configures: false, deactivates: false, links: false, staysActive: false, nodes: 0),
    Row(isManual: true, configures: true, deactivates: true, links: true, staysActive: true, nodes: 0),
    Row(isManual: true, configures: true, deactivates: false, links: true, staysActive: true, nodes: 0),
    Row(isManual: true, configures: false, deactivates: true, links: false, staysActive: true, nodes: 0),
    Row(isManual: true, configures: false, deactivates: false, links: false, staysActive: true, nodes: 0),
  ]

  @Test("S5: what each combination does while media is registered, and after the last", arguments: table)
  func combination(row: Row) throws {
    let rig = ManagerRig()
    rig.manager.manualAudioSessionManagement = row.isManual
    rig.manager.audioSession.isAutomaticConfigurationEnabled = row.configures
    rig.manager.audioSession.isAutomaticDeactivationEnabled = row.deactivates
    try expect(rig, row)
  }

  @Test("S5 S6: without audioSession in the chain everything is as with configuration off", arguments: table)
  func outOfTheChain(row: Row) throws {
    let rig = ManagerRig()
    rig.manager.set(engineObservers: [])
    rig.manager.manualAudioSessionManagement = row.isManual
    rig.manager.audioSession.isAutomaticConfigurationEnabled = row.configures
    rig.manager.audioSession.isAutomaticDeactivationEnabled = row.deactivates
    let same = try #require(Self.table.first { $0.isManual == row.isManual && !$0.configures && $0.deactivates == row.deactivates })
    try expect(rig, same)
  }

  @Test(
    "S5, S6: with configuration off, or out of the chain, nearend touches nothing: it neither ducks nor is interrupted",
    arguments: [true, false])
  func touchesNothing(isInChain: Bool) throws {
    let rig = ManagerRig()
    if isInChain { rig.manager.isAutomaticConfigurationEnabled = false } else { rig.manager.set(engineObservers: []) }
    try rig.registerCall()
    let tape = EventTape(rig.manager.owner.bus)
    let demand = rig.demand
    #expect(!demand.isCall, "what ducks others is a call that nearend manages")
    for reason in [Interruption.Reason.role, .sleep, .sessionInactive, .noDevice] {
      try rig.graph.interrupt(reason, true)
      #expect(rig.manager.isSessionActive && rig.demand == demand, "\(reason)")
      try rig.graph.interrupt(reason, false)
    }
    #expect(tape.kinds == [])
    try rig.graph.interrupt(.daemonLost, true)
    #expect(!rig.manager.isSessionActive, "without the graph nothing runs")
    try rig.graph.interrupt(.daemonLost, false)
    #expect(rig.manager.isSessionActive)
  }

  @Test("S5: a phone that rings while configuration is switched on or off starts or stops interrupting, with its events")
  func switched() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    rig.manager.isAutomaticConfigurationEnabled = false
    let tape = EventTape(rig.manager.owner.bus)
    try rig.graph.interrupt(.role, true)
    #expect(tape.kinds == [])
    rig.manager.isAutomaticConfigurationEnabled = true
    #expect(!rig.manager.isSessionActive)
    #expect(tape.kinds == [.interruptionBegan])
    rig.manager.isAutomaticConfigurationEnabled = false
    #expect(rig.manager.isSessionActive)
    _ = rig.demand
    #expect(tape.kinds == [.interruptionBegan, .interruptionEnded, .didRecover])
  }

  private func expect(_ rig: ManagerRig, _ row: Row) throws {
    try rig.registerCall()
    #expect(rig.world.nodes == 1)
    if row.isManual {
      #expect(!rig.manager.isSessionActive)
      #expect(rig.demand == SessionDemand())
      rig.manager.audioSessionDidActivateExternally()
    }
    #expect(rig.manager.isSessionActive)
    #expect(rig.demand == SessionDemand(sends: true, receives: true, keepsAwake: true, linksDevices: row.links))
    rig.unregisterCall()
    #expect(rig.manager.isSessionActive == row.staysActive)
    #expect(rig.world.nodes == row.nodes)
    if row.nodes > 0 { #expect(rig.demand == SessionDemand(), "no real device is linked") }
    if row.isManual {
      rig.manager.audioSessionDidDeactivateExternally()
    } else {
      rig.manager.shutDown()
    }
    #expect(!rig.manager.isSessionActive)
    #expect(rig.world.nodes == 0)
  }
}
