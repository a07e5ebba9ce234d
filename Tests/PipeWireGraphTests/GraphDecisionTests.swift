import SessionModel
import Testing

@testable import PipeWireGraph

@Suite("What the graph is to become")
struct GraphDecisionTests {
  private static let call = SessionDemand(sends: true, receives: true, keepsAwake: true)
  private static let listening = SessionDemand(receives: true, keepsAwake: true)
  private static let muted = SessionDemand(sends: true, receives: true, keepsAwake: true, opensMicrophone: false)
  private static let unmanaged = SessionDemand(sends: true, receives: true, linksDevices: false)

  private func decide(
    _ desk: DeskGraph, _ demand: SessionDemand, wanted: SessionDemand? = nil, choice: RouteChoice = DeskGraph.both, usesMix: Bool = false,
    isHeadsetInTransition: Bool = false, isSettling: Bool = false, hasPassivePorts: Bool = false
  ) -> GraphDecision {
    GraphDecision(
      desk.facts,
      .init(
        demands: SessionDemands(now: demand, wanted: wanted ?? demand), choice: choice, isHeadsetInTransition: isHeadsetInTransition,
        isSettling: isSettling,
        reference: desk.reference, usesMix: usesMix, hasPassivePorts: hasPassivePorts))
  }

  private func planned(_ decision: GraphDecision) -> Set<LinkKey> { Set(decision.links.links.map(\.key)) }
  private func keys(_ links: [(output: UInt32, input: UInt32)]) -> Set<LinkKey> {
    Set(links.map { LinkKey(output: $0.output, input: $0.input) })
  }

  @Test("L4: the links follow from the demand: devices only where it is for them, the reference only where something is captured")
  func links() {
    let desk = DeskGraph()
    #expect(planned(decide(desk, SessionDemand())) == keys(DeskGraph.fixedLinks))
    #expect(planned(decide(desk, Self.call)) == keys(DeskGraph.allLinks))
    #expect(planned(decide(desk, Self.listening)) == keys(DeskGraph.fixedLinks + DeskGraph.speakerLinks))
    #expect(planned(decide(desk, Self.muted)) == keys(DeskGraph.fixedLinks + DeskGraph.speakerLinks))
    #expect(planned(decide(desk, Self.unmanaged)) == keys(DeskGraph.fixedLinks))
    #expect(planned(decide(DeskGraph(reference: .mix), Self.call)) == keys(DeskGraph.allLinks).subtracting(keys(DeskGraph.referenceLinks)))
  }

  @Test("V15: the microphone's channels are known before a call opens it, so that the call's first cycle has its capture path")
  func expectedChannels() {
    let desk = DeskGraph(furtherChannels: 3)
    #expect(decide(desk, SessionDemand()).expectedChannels == 4)
    #expect(decide(desk, SessionDemand()).links.microphoneChannels == nil, "its ports are made with the call")
    #expect(decide(desk, Self.call).expectedChannels == 4)
    #expect(decide(desk, Self.muted).expectedChannels == 4)
    #expect(decide(DeskGraph(), SessionDemand()).expectedChannels == 1)
    #expect(decide(desk, Self.unmanaged).expectedChannels == nil, "a program may link another one")
    #expect(decide(desk, Self.call, choice: RouteChoice()).expectedChannels == nil)
  }

  @Test("R1: a sink into which the voice comes back within a cycle is cut off, and nothing else")
  func loop() {
    var facts = DeskGraph().facts
    facts.loops = [GraphLoop(source: DeskGraph.nearendMicrophone, stream: DeskGraph.application, sink: DeskGraph.nearendSpeaker)]
    let decision = GraphDecision(facts, .init(demands: SessionDemands(now: Self.call, wanted: Self.call), choice: DeskGraph.both))
    #expect(planned(decision) == keys(DeskGraph.allLinks).subtracting(keys(Array(DeskGraph.fixedLinks.suffix(2)))))
  }

  @Test("S4: a demand is met once every link of it is there, and cycles are due only where something keeps them running")
  func linked() {
    #expect(!decide(DeskGraph(), Self.call).isLinked)
    #expect(!decide(DeskGraph(links: Array(DeskGraph.allLinks.dropLast())), Self.call).isLinked)
    #expect(decide(DeskGraph(links: DeskGraph.allLinks), Self.call).isLinked)
    #expect(!decide(DeskGraph(links: DeskGraph.allLinks), SessionDemand()).isLinked)
    #expect(!decide(DeskGraph(links: DeskGraph.allLinks, hasFilterPorts: false), Self.call).isLinked)
    let fixed = DeskGraph(links: DeskGraph.fixedLinks)
    #expect(decide(fixed, Self.call, choice: RouteChoice()).isLinked)
    #expect(!decide(fixed, Self.call, choice: RouteChoice(), isSettling: true).isLinked, "devices are still appearing")
    #expect(decide(fixed, Self.unmanaged, choice: RouteChoice(), isSettling: true).isLinked)
    #expect(decide(DeskGraph(links: DeskGraph.allLinks), Self.call, isSettling: true).isLinked)
    #expect(decide(DeskGraph(), Self.call).needsCycles)
    #expect(!decide(DeskGraph(), SessionDemand(sends: true, receives: true)).needsCycles)
    #expect(!decide(DeskGraph(), Self.call, choice: RouteChoice()).needsCycles)
  }

  @Test("V4: the mix is the reference while what the speaker plays is missing, and no longer once it is there")
  func reference() {
    let whole = DeskGraph(links: DeskGraph.allLinks)
    #expect(!decide(whole, Self.call, usesMix: true).usesMix)
    #expect(decide(DeskGraph(), Self.call, usesMix: true).usesMix)
    #expect(!decide(DeskGraph(), Self.call, usesMix: false).usesMix, "it is not taken for a link that is just being made")
    #expect(!decide(DeskGraph(), SessionDemand(), usesMix: true).usesMix)
    #expect(decide(DeskGraph(links: DeskGraph.allLinks, reference: .mix), Self.call).usesMix)
  }

  @Test("I1: without any usable device the session is interrupted; with one of two, or while a headset is about to return, it goes on")
  func withoutDevice() {
    let desk = DeskGraph()
    let (noSpeaker, noMicrophone) = (
      RouteChoice(microphone: DeskGraph.microphoneDevice), RouteChoice(speaker: DeskGraph.speakerDevice)
    )
    #expect(decide(desk, Self.call, choice: RouteChoice()).isWithoutDevice)
    #expect(decide(desk, SessionDemand(), wanted: Self.call, choice: RouteChoice()).isWithoutDevice, "it goes on while interrupted")
    #expect(!decide(desk, SessionDemand(), choice: RouteChoice()).isWithoutDevice)
    #expect(!decide(desk, Self.call, choice: noSpeaker).isWithoutDevice)
    #expect(!decide(desk, Self.call, choice: noMicrophone).isWithoutDevice)
    #expect(decide(desk, Self.listening, choice: noSpeaker).isWithoutDevice, "nobody sends")
    #expect(!decide(desk, Self.call, choice: RouteChoice(), isHeadsetInTransition: true).isWithoutDevice)
    #expect(!decide(desk, Self.call, choice: RouteChoice(), isSettling: true).isWithoutDevice, "they are still appearing")
    #expect(!decide(desk, Self.unmanaged, choice: RouteChoice()).isWithoutDevice)
  }

  @Test("I1, S5: the machine may sleep once no device is linked, or where the links are others' to release")
  func sleep() {
    #expect(decide(DeskGraph(links: DeskGraph.fixedLinks), SessionDemand()).isFree)
    #expect(!decide(DeskGraph(links: DeskGraph.fixedLinks + DeskGraph.speakerLinks), SessionDemand()).isFree)
    #expect(!decide(DeskGraph(links: DeskGraph.fixedLinks), Self.call).isFree)
    #expect(decide(DeskGraph(links: DeskGraph.allLinks), Self.unmanaged).isFree)
  }

  @Test("L4: the devices are kept awake for programs alone, by the filter where the daemon has passive ports, by links where not")
  func awake() {
    func passive(_ decision: GraphDecision) -> Set<Bool> {
      Set(decision.links.links.filter { $0.role == .speaker || $0.role == .microphone }.map(\.isPassive))
    }
    let (old, new) = (decide(DeskGraph(), Self.call), decide(DeskGraph(), Self.call, hasPassivePorts: true))
    #expect(!old.keepsFilterAwake && passive(old) == [false])
    #expect(new.keepsFilterAwake && passive(new) == [true])
    let applications = decide(DeskGraph(), SessionDemand(sends: true, receives: true), hasPassivePorts: true)
    #expect(!applications.keepsFilterAwake && passive(applications) == [true])
    #expect(!decide(DeskGraph(), Self.call, choice: RouteChoice(), hasPassivePorts: true).keepsFilterAwake)
  }

  @Test("D1: a mute in the mode restart closes the microphone, which is suspended once its links are gone")
  func closed() {
    #expect(decide(DeskGraph(), Self.call).closedMicrophone == nil)
    #expect(decide(DeskGraph(), SessionDemand(receives: true)).closedMicrophone == nil)
    let linked = decide(DeskGraph(links: DeskGraph.allLinks), Self.muted)
    #expect(linked.closedMicrophone == DeskGraph.microphone && linked.isMicrophoneLinked)
    #expect(!decide(DeskGraph(links: DeskGraph.fixedLinks), Self.muted).isMicrophoneLinked)
  }

  @Test("I1: an interrupted session's programs are held, one that nobody uses is not")
  func held() {
    #expect(decide(DeskGraph(), SessionDemand(), wanted: Self.call).isInterrupted)
    #expect(!decide(DeskGraph(), Self.call).isInterrupted)
    #expect(!decide(DeskGraph(), SessionDemand()).isInterrupted)
  }
}
