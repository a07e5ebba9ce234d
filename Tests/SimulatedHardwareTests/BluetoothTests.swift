import Foundation
import Testing

@testable import SimulatedHardware

@Suite("Bluetooth headset")
struct BluetoothTests {
  private let sink = "bluez_output.00_11_22_33_44_55.1"
  private let source = "bluez_input.00_11_22_33_44_55.0"

  @Test("R6: A2DP is a stereo sink; HFP a sink of the same name and a source, 16 kHz mono, over a SCO link while used")
  func profiles() throws {
    let session = try deskSession(.laptop, .bluetooth)
    let desk = try #require(session.desk)
    #expect(try DeskView(session).nodeNames.filter { $0.hasPrefix("bluez") } == [sink])
    try session.wait(forDefault: "sink", toBe: sink)
    try desk.select(profile: "headset-head-unit", of: .bluetooth)
    try session.waitForDesk()
    let nodes = try DeskView(session).nodes.filter { $0["node.name"]?.hasPrefix("bluez") == true }
    #expect(Set(nodes.map { $0["node.name"] }) == [sink, source])
    for node in nodes {
      #expect(node["api.bluez5.profile"] == "headset-head-unit")
      #expect(node["audio.rate"] == "16000")
      #expect(node["audio.channels"] == "1")
    }
    #expect(desk.scoEvents == [])
    try session.wait(forDefault: "source", toBe: source)
    let recorder = try session.spawn("pw-record", ["--target", source, "/dev/null"])
    try session.wait(for: "the SCO link") { desk.isScoUp }
    recorder.end()
    try session.wait(for: "the SCO link to go") { !desk.isScoUp }
    #expect(desk.scoEvents.map(\.change) == [.setUp, .tearDown])
    #expect(desk.scoEvents.map(\.reason) == [.streaming, .idle])
  }

  @Test("R6: the log tells why a SCO link ended", arguments: [ScoEvent.Reason.profile, .gone])
  func reasons(reason: ScoEvent.Reason) throws {
    let session = try deskSession(.bluetooth)
    let desk = try #require(session.desk)
    try desk.select(profile: "headset-head-unit", of: .bluetooth)
    try session.waitForDesk()
    try session.wait(forDefault: "source", toBe: source)
    let start = monotonicSeconds()
    let recorder = try session.spawn("pw-record", ["--target", source, "/dev/null"])
    try session.wait(for: "the SCO link") { desk.isScoUp }
    if reason == .profile { try desk.select(profile: "a2dp-sink", of: .bluetooth) } else { desk.unplug(.bluetooth) }
    #expect(desk.scoEvents.map(\.change) == [.setUp, .tearDown])
    #expect(desk.scoEvents.last?.reason == reason)
    #expect(desk.scoEvents.allSatisfy { $0.time > start && $0.time < monotonicSeconds() })
    recorder.end()
  }

  @Test("R6: each version of WirePlumber has its own form of a headset's loopback")
  func loopbacks() {
    let forms = ["0.4.13", "0.4.17", "0.5.0", "0.5.8", "0.5.13", "0.5.14", "0.5.18", "0.6.0", "1.0"].map(HeadsetLoopback.init(wirePlumber:))
    #expect(forms == [nil, nil, .smartFilter, .smartFilter, .smartFilter, .target, .target, .target, .target])
  }

  @Test(
    "R6: WirePlumber switches to HFP for a stream with the role Communication, from 0.5 on for one that records, and back after it",
    arguments: HeadsetLoopback.allCases)
  func policy(form: HeadsetLoopback) throws {
    let session = try deskSession(.laptop, .bluetooth)
    let desk = try #require(session.desk)
    try session.wait(forDefault: "sink", toBe: sink)
    // From 0.5 on WirePlumber observes recordings from a source of its own, and no longer stream roles.
    let looksAtRoles = try HeadsetLoopback(wirePlumber: session.wirePlumberVersion()) == nil
    let loopback = looksAtRoles ? nil : try session.spawn(form)
    if loopback != nil { try session.wait(forDefault: "source", toBe: HeadsetLoopback.source) }
    let recorder = try session.spawn("pw-record", ["--media-role", "Communication", "/dev/null"])
    try session.wait(for: "HFP") { desk.card(.bluetooth)?.activeProfile.name == "headset-head-unit" }
    if loopback != nil {
      try session.wait(for: "the loopback to be linked to the headset's own source") {
        try session.links().keys.contains { $0.from == "\(form.ownSource):capture_MONO" }
      }
    }
    recorder.end()
    try session.wait(for: "A2DP") { desk.card(.bluetooth)?.activeProfile.name == "a2dp-sink" }
    withExtendedLifetime(loopback) {}
  }
}
