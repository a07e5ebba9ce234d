import Foundation
import SessionModel
import Testing

@testable import SimulatedHardware

/// Participants on other machines, with the built program (K12).
@Suite("Intercom", .serialized)
struct IntercomTests {
  /// Why two machines cannot be simulated here; nil if they can.
  private static let obstacle: String? = {
    if getuid() != 0 { return "network namespaces take root" }
    guard let place = try? EmptyPlace() else { return "no folder" }
    let name = "nearend-test-\(getpid())"
    let made = try? place.start("ip", ["netns", "add", name]).result()
    _ = try? place.start("ip", ["netns", "delete", name]).result()
    return made?.succeeded == true ? nil : "ip netns makes no network namespace here"
  }()
  /// Not written in the trait itself, because Swift 6.0 crashes on an interpolation there.
  private static let reason = Comment(rawValue: "no two machines: \(obstacle ?? "")")

  @Test(
    "K12: two sessions in two network namespaces, each with its own room and talker: both are heard, neither hears itself, nobody else is spoken to",
    .enabled(if: obstacle == nil, reason), .timeLimit(.minutes(3)))
  func namespaces() throws {
    let program = URL(fileURLWithPath: nearendProgram).deletingLastPathComponent().path + "/Trials"
    // Ends the processes when it is released.
    let place = try EmptyPlace()
    let result = try place.start(program, ["intercom", "--seconds", "48"]).result(timeout: 150)
    withExtendedLifetime(place) {}
    print(result.output)
    #expect(result.succeeded, "\(result)")
    #expect(result.output.contains("both are heard, neither hears itself"))
  }

  @Test("K12, O1: sink add --rtp and send are seen in list and status, and end with remove; call and hang-up likewise")
  func commands() throws {
    let session = try plainSession()
    let nearend = try session.start(nearendProgram, ["--headless"])
    #expect(nearend.says("control socket"))
    let ports = (0..<3).map { _ in 20_000 + 2 * Int.random(in: 0...10_000) }
    #expect(try session.nearend("sink", "add", "bob", "--rtp", "127.0.0.1:\(ports[0])", "--from", "127.0.0.1", "--latency", "30").succeeded)
    #expect(try session.nearend("sink", "list").output == "bob  RTP at 127.0.0.1:\(ports[0]), nothing received, idle\n")
    let sent = try session.nearend("send", "--rtp", "127.0.0.1:\(ports[0])", "--packet", "5")
    #expect(sent.succeeded && sent.output == "to-127.0.0.1-\(ports[0])\n", "\(sent)")
    try session.wait(for: "the voice to come round") {
      try session.nearend("sink", "list").output.contains("RTP at 127.0.0.1:\(ports[0]) from 127.0.0.1:")
    }
    #expect(try session.nearend("send", "list").output.contains("to 127.0.0.1:\(ports[0]), SSRC "))
    #expect(try session.nearend("status", "--json").output.contains("\"packetTime\" : 5"))
    #expect(try session.nearend("send", "remove", "to-127.0.0.1-\(ports[0])").succeeded)
    #expect(try session.nearend("sink", "remove", "bob").succeeded)
    let call = try session.nearend("call", "127.0.0.1:\(ports[1])", "--port", "\(ports[2])", "--id", "kitchen")
    #expect(call.succeeded && call.output == "kitchen\n", "\(call)")
    let again = try session.nearend("call", "127.0.0.1:\(ports[1])", "--id", "kitchen")
    #expect(again.exit == .status(1) && again.errors.contains("'kitchen' is already registered"), "\(again)")
    #expect(try session.nearend("hang-up", "kitchen").succeeded)
    #expect(try session.nearend("sink", "list").output.isEmpty && session.nearend("send", "list").output.isEmpty)
    let nobody = try session.nearend("hang-up", "kitchen")
    #expect(nobody.exit == .status(1) && nobody.errors.contains("nothing called 'kitchen' is sent"), "\(nobody)")
    let named = try session.nearend("call", "kitchen.example")
    #expect(named.exit == .status(64) && named.errors.contains("names are not looked up"), "\(named)")
  }
}
