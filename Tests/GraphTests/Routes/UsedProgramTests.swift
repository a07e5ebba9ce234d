import Foundation
import Nearend
import Platform
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// Programs that are moved to nearend's devices by name, and back.
  @Suite("Used programs", .serialized)
  struct UsedPrograms {
    private func spawn(_ session: PrivateSession, _ name: String, records: Bool = false) throws -> ChildProcess {
      try session.spawn("pacat", [records ? "--record" : "--playback", "--client-name=\(name)", records ? "/dev/null" : "/dev/zero"])
    }

    private func wait(_ session: PrivateSession, for stream: String, at device: String) throws {
      try session.wait(for: "\(stream) at \(device) and nowhere else") {
        let links = try session.links().keys.map { ($0.from.prefix { $0 != ":" }, $0.to.prefix { $0 != ":" }) }
        return Set(links.filter { $0.0 == stream }.map(\.1) + links.filter { $0.1 == stream }.map(\.0)) == [device[...]]
      }
    }

    private func use(_ live: LiveGraph, _ programs: String) throws { try live.service.set(.usedPrograms, to: .string(programs)) }

    @Test("R2: a program that is named is moved, playing and recording, now and when it comes; another is not; --not moves it back")
    func moves() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let session = live.session
      let streams = [try spawn(session, "phone"), try spawn(session, "phone-in", records: true), try spawn(session, "music")]
      defer { streams.forEach { $0.end() } }
      try wait(session, for: "phone", at: "hw.speaker")
      try wait(session, for: "phone-in", at: "hw.mic")
      try use(live, "PHONE*")
      try wait(session, for: "phone", at: "nearend.speaker")
      try wait(session, for: "phone-in", at: "nearend.microphone")
      let late = try spawn(session, "phone-late")
      defer { late.end() }
      try wait(session, for: "phone-late", at: "nearend.speaker")
      try wait(session, for: "music", at: "hw.speaker")
      try live.wait(for: "the status to tell who is where") { snapshot in
        snapshot.route.usedPrograms == ["PHONE*"]
          && snapshot.route.programs == [
            ProgramStatus(name: "music", plays: ["hw.speaker"]),
            ProgramStatus(name: "phone", isUsed: true, plays: ["nearend.speaker"]),
            ProgramStatus(name: "phone-in", isUsed: true, records: ["nearend.microphone"]),
            ProgramStatus(name: "phone-late", isUsed: true, plays: ["nearend.speaker"]),
          ]
      }
      try use(live, "phone-late")
      try wait(session, for: "phone", at: "hw.speaker")
      try wait(session, for: "phone-in", at: "hw.mic")
      try wait(session, for: "phone-late", at: "nearend.speaker")
    }

    @Test(
      "R2: when nearend ends, its programs are where they were, and the session manager remembers nothing of it; then they are moved anew")
    func leaves() throws {
      let live = try LiveGraph(.hardware)
      let session = live.session
      var phone = try spawn(session, "phone")
      defer { phone.end() }
      try use(live, "phone")
      try wait(session, for: "phone", at: "nearend.speaker")
      live.stop()
      try wait(session, for: "phone", at: "hw.speaker")
      #expect(!(try session.metadata(of: nil).contains("target.object")))
      let again = try LiveGraph(.hardware)
      defer { again.stop() }
      phone.end()
      phone = try spawn(session, "phone")
      try wait(session, for: "phone", at: "hw.speaker")
      try use(again, "phone")
      try wait(session, for: "phone", at: "nearend.speaker")
    }

    @Test("R2: a program that a person moves elsewhere stays there; a meter and a recording of what a speaker plays are never moved")
    func letAlone() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let session = live.session
      let phone = try spawn(session, "phone")
      let desktop = try session.spawn(
        "pacat", ["--record", "--device=hw.speaker.monitor", "--client-name=phone-desktop", "/dev/null"])
      defer { [phone, desktop].forEach { $0.end() } }
      try wait(session, for: "phone-desktop", at: "hw.speaker")
      try use(live, "phone*")
      try wait(session, for: "phone", at: "nearend.speaker")
      let dump = try GraphDump(session)
      let (stream, speaker) = (try #require(dump.node("phone")), try #require(dump.node("hw.speaker")))
      _ = try session.run("pw-metadata", "\(stream.id)", "target.object", "\(speaker.serial)", "Spa:Id")
      try session.wait(for: "phone at hw.speaker") {
        try session.links().keys.contains { $0.from.hasPrefix("phone:") && $0.to.hasPrefix("hw.speaker:") }
      }
      let other = try spawn(session, "phone-other")
      defer { other.end() }
      try wait(session, for: "phone-other", at: "nearend.speaker")
      try wait(session, for: "phone", at: "hw.speaker")
      try wait(session, for: "phone-desktop", at: "hw.speaker")
    }
  }
}
