import Foundation
import SessionModel
import Testing

@testable import SimulatedHardware

/// Lists of a running nearend, and devices that are chosen by name.
@Suite("Lists and devices by command", .serialized)
struct ListTests {
  @Test("O1: sink, stage and send list print JSON with --json, also of nothing")
  func json() throws {
    let session = try plainSession()
    let running = try session.startNearend("--headless", "--sink", "alice")
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    let sinks = try session.nearend("sink", "list", "--json")
    #expect(try JSONDecoder().decode([SinkStatus].self, from: Data(sinks.output.utf8)).map(\.id) == ["alice"], "\(sinks)")
    for arguments in [["stage", "list", "--json"], ["send", "list", "--json"]] {
      let list = try session.nearend(arguments)
      let elements = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [Any]
      #expect(elements?.isEmpty == true, "\(arguments): \(list)")
    }
    #expect(try session.nearend("sink", "list").output.hasPrefix("alice  device nearend.sink.alice"))
    running.process.signal(SIGTERM)
    #expect(running.result().succeeded)
  }

  @Test("O1 R2: a speaker is refused as microphone and the reverse; a name that begins with a dash is given behind --")
  func devices() throws {
    let session = try plainSession()
    let running = try session.startNearend("--headless")
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    let speaker = try session.nearend("set", "microphone", "hw.speaker")
    #expect(speaker.exit == .status(1))
    #expect(speaker.errors.contains("microphone cannot be 'hw.speaker': give a microphone, as 'nearend devices' lists them"), "\(speaker)")
    let microphone = try session.nearend("set", "speaker", "hw.mic")
    #expect(microphone.exit == .status(1) && microphone.errors.contains("that is a microphone"), "\(microphone)")
    #expect(try session.nearend("get", "microphone").output == "\n")
    #expect(try session.nearend("set", "microphone", "hw.mic").succeeded)
    // One that is not there may come.
    let dashed = try session.nearend("set", "microphone", "--", "-dash")
    #expect(dashed.succeeded && dashed.output.contains("-dash is chosen, and will be used once it is available"), "\(dashed)")
    #expect(try session.nearend("get", "microphone").output == "-dash\n")
    #expect(try session.nearend("get", "microphone", "--json").output == "\"-dash\"\n")
    #expect(try session.nearend("set", "microphone", "default").output.isEmpty)
    #expect(try session.nearend("get", "microphone").output == "\n")
    running.process.signal(SIGTERM)
    #expect(running.result().succeeded)
  }
}
