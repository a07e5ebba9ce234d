import SessionModel
import Testing

@Suite("Programs in use")
struct ProgramMovesTests {
  private static let devices: [Device.Direction: UInt64] = [.output: 70, .input: 71]

  private func stream(_ id: UInt32, _ name: String, _ direction: Device.Direction = .output, target: String? = nil) -> ProgramStream {
    ProgramStream(id: id, serial: UInt64(id) + 1_000, direction: direction, names: [name], target: target)
  }

  /// The moves among the effects, without words.
  private func told(_ effects: [ProgramMoves.Effect]) -> [ProgramMoves.Effect] {
    effects.filter { if case .remark = $0 { false } else { true } }
  }

  @Test("R2: names are separated by commas; blanks, case and repetitions do not count; a pattern matches any name of a program")
  func names() throws {
    let used = try #require(UsedPrograms(" Firefox ,zoom*,, firefox,ZOOM VoiceEngine"))
    #expect(used.text == "Firefox, zoom*, ZOOM VoiceEngine")
    func includes(_ names: String...) -> Bool {
      used.include(ProgramStream(id: 1, serial: 1, direction: .input, names: names))
    }
    #expect(includes("FIREFOX") && includes("A call", "zoom.real") && includes("ZOOM voiceengine"))
    #expect(!includes("firefox-esr") && !includes("mpv", "a zoom"))
    let listed = try #require(UsedPrograms("ALSA plug-in [aplay]"))
    #expect(
      listed.include(ProgramStream(id: 1, serial: 1, direction: .output, names: ["ALSA plug-in [aplay]"])),
      "a name as it is listed is that program's, also where it would be a pattern")
    let open = try #require(UsedPrograms("[, zoom[*"))
    #expect(
      ["[", "zoom[real"].allSatisfy { open.include(ProgramStream(id: 1, serial: 1, direction: .output, names: [$0])) },
      "a bracket that is not closed is that character")
    #expect(UsedPrograms("")?.names == [])
    #expect(UsedPrograms((1...33).map { "p\($0)" }.joined(separator: ",")) == nil)
    #expect(UsedPrograms(String(repeating: "x", count: 101)) == nil)
    #expect(UsedPrograms("a\u{1B}[2J") == nil)
  }

  @Test("R2: the streams of a program in use are moved once, those of others never; who is moved elsewhere meanwhile stays there")
  func once() throws {
    var moves = ProgramMoves()
    let used = try #require(UsedPrograms("phone"))
    let others = [stream(3, "music"), stream(4, "recorder", .input)]
    let first = moves.update([stream(1, "phone"), stream(2, "phone", .input)] + others, used: used, devices: Self.devices)
    #expect(told(first) == [.move(stream: 1, to: 70), .move(stream: 2, to: 71)])
    #expect(first.contains(.remark("phone plays through Nearend Speaker now")))
    #expect(first.contains(.remark("phone records from Nearend Microphone now")))
    let streams = [stream(1, "phone", target: "70"), stream(2, "phone", .input, target: "9")] + others
    #expect(moves.update(streams, used: used, devices: Self.devices) == [])
    // Moved back is only what is still where it was moved.
    #expect(moves.update(streams, used: UsedPrograms(), devices: Self.devices) == [.moveBack(stream: 1, to: nil)])
    #expect(moves.update(streams, used: UsedPrograms(), devices: Self.devices) == [])
  }

  @Test("R2: what was told a stream before holds again afterwards; a device of nearend's that is made anew gets its streams back")
  func former() throws {
    var moves = ProgramMoves()
    let used = try #require(UsedPrograms("phone"))
    let before = stream(1, "phone", target: "33")
    #expect(told(moves.update([before], used: used, devices: [:])) == [], "nearend's device is waited for")
    #expect(told(moves.update([before], used: used, devices: Self.devices)) == [.move(stream: 1, to: 70)])
    let moved = stream(1, "phone", target: "70")
    #expect(told(moves.update([moved], used: used, devices: [.output: 90])) == [.move(stream: 1, to: 90)])
    #expect(moves.leave([stream(1, "phone", target: "90")]) == [.moveBack(stream: 1, to: "33")])
    // A later stream may have the same id: the serial number says whose it is.
    let later = ProgramStream(id: 1, serial: 5, direction: .output, names: ["phone"])
    #expect(told(moves.update([later], used: used, devices: Self.devices)) == [.move(stream: 1, to: 70)])
  }

  @Test("R2: who was moved elsewhere stays there when nearend's device is made anew")
  func elsewhere() throws {
    var moves = ProgramMoves()
    let used = try #require(UsedPrograms("phone"))
    _ = moves.update([stream(1, "phone")], used: used, devices: Self.devices)
    let moved = stream(1, "phone", target: "33")
    #expect(moves.update([moved], used: used, devices: [.output: 90]) == [])
    #expect(moves.leave([moved]) == [])
  }
}
